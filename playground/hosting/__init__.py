"""Hosts: each runs one session's engine off the event loop, at the pace of the clock, and streams what it does."""
