"""The queue itself: head lane and tail (W10-W65)."""
