"""The interface between a node and a queue: the protocol of backing queues, its values, and their places."""
