"""Processes that run engines: the program that runs in each, and the server's end of it."""
