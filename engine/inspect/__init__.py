"""Look into data directories, this engine's or a broker's, and say what is there and what is damaged."""
