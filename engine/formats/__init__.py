"""Byte formats of the broker's files: term, properties, segment, journal and store records, names."""
