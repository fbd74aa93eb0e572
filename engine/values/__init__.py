"""Plain values that the whole engine speaks in: extents, ranges, errors, settings."""
