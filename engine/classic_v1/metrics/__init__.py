"""Metrics that only version 1 has, and what its transitions mean for the common ones."""
