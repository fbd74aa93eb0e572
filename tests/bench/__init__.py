"""The measurements run, and say when they do not."""
