"""Crashes: process kills, power cuts and torn files, and what every one of them may cost (S230-S236)."""
