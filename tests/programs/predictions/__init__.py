"""Predictions held against a real node: `python -m tests.programs.predictions` runs the engine on what was measured."""
