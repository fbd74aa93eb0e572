"""Predictions held against a real node: `python -m tools.proofs.predictions` runs the engine on what was measured."""
