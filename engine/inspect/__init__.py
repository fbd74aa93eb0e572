"""Read data directories, this engine's or a broker's, and report what is there and what is damaged."""
