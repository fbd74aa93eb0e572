"""Bytes of memory that a queue of 4.x costs, part by part, on a real node; see docs/calibration.md."""
