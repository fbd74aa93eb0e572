"""Replaying golden traces of a real broker through the backing-queue door."""
