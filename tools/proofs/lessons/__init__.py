"""Simulated learners answer all exercises: what shows a misconception, and what guessing gains."""
