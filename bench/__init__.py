"""Measurements of the engine and the wire: `python -m bench`, or `make bench`."""
