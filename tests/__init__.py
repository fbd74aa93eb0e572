"""Tests of everything, by kind: one folder for each."""
