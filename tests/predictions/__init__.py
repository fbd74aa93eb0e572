"""Predictions held against a real node: `python -m tests.predictions` runs the engine on what was measured there."""
