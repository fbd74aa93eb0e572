"""Counting what a run does: levels, metrics that all generations have, and what counts them while it goes on.

A metric is one function with its unit, its label, the direction that is better and the transitions that it reads
(`engine.counting.metric`). A generation adds metrics of its own, and says what its transitions mean for the common
ones. `engine.metrics` has them all.
"""
