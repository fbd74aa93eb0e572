"""Grading by replay: pure, deterministic, and without a written-down answer where the engine can compute it."""

from playground.exercises.grading.playback import GradedRun, RunEvent
from playground.exercises.grading.verdict import BadAnswer, GradedVerdict, TooLong, VerdictLine

__all__ = ["BadAnswer", "GradedRun", "GradedVerdict", "RunEvent", "TooLong", "VerdictLine"]
