"""Mirrored queues: who has which member, what travels between them, and what a member does with it (H1-H90)."""
