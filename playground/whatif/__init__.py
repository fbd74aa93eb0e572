"""The what-if page: heatmaps of precomputed runs. Each cell can be opened; nothing is computed here."""
