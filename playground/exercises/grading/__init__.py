"""Grading by replay: pure, deterministic, and without a written-down answer where the engine can compute it."""

from playground.exercises.grading.grade import grade, solution_of
from playground.exercises.grading.verdict import BadAnswer, Line, TooLong, Verdict

__all__ = ["BadAnswer", "Line", "TooLong", "Verdict", "grade", "solution_of"]
