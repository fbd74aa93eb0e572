"""The index of a queue: `<n>.qi`, one slot for each position (W80-W100)."""
