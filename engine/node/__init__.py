"""The node door: a whole node around one queue, in virtual time."""
