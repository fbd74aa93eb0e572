"""Exercises: data that the engine grades, and the pages on which people work on them."""
