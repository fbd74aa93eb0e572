"""Virtual time: what happens when, processes, and what their work costs."""
