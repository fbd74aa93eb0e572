"""The variable queue: alpha, beta, gamma and delta moving through q1, q2, delta, q3 and q4 (queue.md Q1-Q65)."""

from engine.classic_v1.queue.queue import VariableQueue
from engine.classic_v1.queue.state import V1Means

__all__ = ["V1Means", "VariableQueue"]
