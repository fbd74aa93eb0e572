"""Grading by replay: pure, deterministic, and without a written-down answer where the engine can compute it."""

from playground.exercises.grading.known import Known
from playground.exercises.grading.playback import Event, Playback
from playground.exercises.grading.verdict import BadAnswer, Line, TooLong, Verdict

__all__ = ["BadAnswer", "Event", "Known", "Line", "Playback", "TooLong", "Verdict"]
