"""The index of a queue: `<n>.qi`, one slot for each position (W80-W100)."""

from engine.classic_v2.index.index import V2Index

__all__ = ["V2Index"]
