"""Classic queues of version 2."""
