"""Queues at work: their processes, deliveries, evictions and dead letters."""
