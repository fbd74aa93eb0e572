"""Queues whose files are of version 1 or of version 2, as somebody asks: the queue of 3.10 (W2, W18)."""
