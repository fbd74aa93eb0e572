"""Random programs on the real broker and on the engine, compared number by number."""
