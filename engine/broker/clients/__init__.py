"""Connections, channels, publishers and consumers."""
