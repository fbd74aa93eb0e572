"""Queues with members on several nodes: how members join, leave and take over (H1-H90)."""
