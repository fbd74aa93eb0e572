"""Callers: their address, their browser, and whether a session is theirs."""
