"""The house itself: its container, its requirements and its Makefile."""
