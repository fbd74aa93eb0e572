"""The shared store of 4.x: large messages of all queues of a virtual host (W130-W151)."""
