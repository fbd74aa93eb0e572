"""Tests of the queue index: the spec's vectors and tables, flush points, recovery, random programs."""
