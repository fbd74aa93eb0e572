"""What the engine reports: transitions, and their log."""
