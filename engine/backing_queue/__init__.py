"""What stands between a node and a queue: the protocol of backing queues, its values, and the places they have."""
