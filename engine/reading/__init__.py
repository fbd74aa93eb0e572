"""Questions about a state: places and Greek letters, values at paths, conditions and measures."""
