"""A queue with x-max-priority: one backing queue for each priority, behind one (`rabbit_priority_queue`)."""

from engine.priority_queue.queue import PriorityQueue

__all__ = ["PriorityQueue"]
