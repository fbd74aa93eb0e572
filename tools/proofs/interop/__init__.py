"""Directories exchanged with a real node, both ways."""
