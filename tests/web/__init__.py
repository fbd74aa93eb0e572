"""Tests of the web side: pages, sockets and hosts."""
