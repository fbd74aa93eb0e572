"""Two runs side by side: what one change makes of a scenario, where they part, and what differs in the end."""
