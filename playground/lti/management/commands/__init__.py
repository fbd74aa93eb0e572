"""LTI 1.3: exercises launched from a learning platform, and scores passed back."""
