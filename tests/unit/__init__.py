"""Tests of one part each, without the others where that is possible."""
