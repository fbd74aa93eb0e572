"""Mirrored queues: members, the instructions between them, and how members carry them out (H1-H90)."""
