"""What the engine reports: transitions, their log, and the state that they fold into."""
