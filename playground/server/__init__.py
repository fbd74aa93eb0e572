"""The server program, and the handling of what arrives."""
