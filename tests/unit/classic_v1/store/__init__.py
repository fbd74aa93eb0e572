"""Tests of the message store: the spec's vectors and tables, recovery, random programs."""
