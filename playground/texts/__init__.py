"""Sentences for people: values with their numbers, and the language in which they are read."""
