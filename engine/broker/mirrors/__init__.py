"""Queues with members on several nodes: who has one, how they come, go and take over (H1-H90)."""
