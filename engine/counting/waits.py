"""How long messages waited, exactly: every message counts, though the work follows stretches of equal messages."""

from __future__ import annotations

from engine.counting.levels import OF_CONFIRMS, OF_WAITING
from engine.counting.metric import BetterWay, MetricUnit, RunEnding, at_end
from engine.values.texts import gettext_noop as _
from engine.values.waits import percentiles_s, total


@at_end(_("median wait for delivery"), MetricUnit.SECONDS, BetterWay.LOWER, reads=OF_WAITING)
def latency_p50_s(ending: RunEnding) -> float | None:
    """From entering a queue to the first delivery: half of the messages waited no longer."""
    return _delivery(ending, 50)


@at_end(_("wait for delivery, 95 in 100"), MetricUnit.SECONDS, BetterWay.LOWER, reads=OF_WAITING)
def latency_p95_s(ending: RunEnding) -> float | None:
    """From entering a queue to the first delivery: 95 in 100 messages waited no longer."""
    return _delivery(ending, 95)


@at_end(_("wait for delivery, 99 in 100"), MetricUnit.SECONDS, BetterWay.LOWER, reads=OF_WAITING)
def latency_p99_s(ending: RunEnding) -> float | None:
    """From entering a queue to the first delivery: 99 in 100 messages waited no longer."""
    return _delivery(ending, 99)


@at_end(_("median wait for the confirm"), MetricUnit.SECONDS, BetterWay.LOWER, reads=OF_CONFIRMS)
def confirm_p50_s(ending: RunEnding) -> float | None:
    """From publishing to the confirm: half of the messages waited no longer."""
    return _confirm(ending, 50)


@at_end(_("wait for the confirm, 95 in 100"), MetricUnit.SECONDS, BetterWay.LOWER, reads=OF_CONFIRMS)
def confirm_p95_s(ending: RunEnding) -> float | None:
    """From publishing to the confirm: 95 in 100 messages waited no longer."""
    return _confirm(ending, 95)


@at_end(_("wait for the confirm, 99 in 100"), MetricUnit.SECONDS, BetterWay.LOWER, reads=OF_CONFIRMS)
def confirm_p99_s(ending: RunEnding) -> float | None:
    """From publishing to the confirm: 99 in 100 messages waited no longer."""
    return _confirm(ending, 99)


def _delivery(ending: RunEnding, percent: int) -> float | None:
    tally = total(*(each.tally for each in ending.levels.waiting.values()))
    return percentiles_s(tally, (percent,))[0]


def _confirm(ending: RunEnding, percent: int) -> float | None:
    return percentiles_s(ending.levels.unconfirmed.tally, (percent,))[0]
