"""Plain values that the whole engine uses: extents, ranges, errors, settings."""
