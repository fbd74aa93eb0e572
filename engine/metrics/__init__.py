"""The metrics of a run, counted from its transitions. Nothing is counted that the engine did not report.

A metric is one function with its unit, its label, the direction that is better and the transitions that it reads
(`engine.metrics.metric`). METRICS holds them all by name: tables, pages, exports and docs/whatif.md look them up there.
To add one, write its function in the module of its topic. `Meter` counts all of them while a run goes on.
"""

from engine.metrics.metric import METRICS, Better, Ending, Metric, PowerCut, Unit  # noqa: I001
from engine.metrics import pressure, memory, messages, waits, backlog, disk, survival  # noqa: F401 - they register
from engine.metrics.meter import Meter

__all__ = ["METRICS", "Better", "Ending", "Meter", "Metric", "PowerCut", "Unit"]
