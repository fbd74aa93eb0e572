"""The node door: a whole node with its queues, in virtual time."""
