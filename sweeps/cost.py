"""About how long a cell takes that nobody has timed: what happens message by message is what a run costs."""

from __future__ import annotations

from typing import Final

from engine.backing_queue.places import CLASSIC_V2
from engine.broker.commands.base import TICK_MS
from engine.releases import PROFILES
from sweeps.parameters import Scenario
from workloads.workload import at_work, messages

LEAST_S: Final = 0.05
ALONE_S: Final = 40e-6
"""For a message that is published, or taken and acknowledged, by itself.

With the next three, chosen by what fourteen cells at 10 to 5,000 messages a second took of engine 0.4.0, on a machine
whose yardstick (bench) is 0.067 s: from half of what is guessed to half as much again on 3.x, up to twice on 4.x.
"""
TICK_S: Final = 60e-6
"""For each tick in which a publisher or a consumer does something."""
BURST_S: Final = 200e-6
"""For a burst."""
TOGETHER_S: Final = 6e-6
"""For a message with a size of its own in a burst that enters as one step (bench imported_log)."""


def guessed_s(scenario: Scenario) -> float:
    """Return about how many seconds of a processor a cell takes that nobody has timed.

    Equal messages of a burst cost next to nothing beside the burst. Those with sizes of their own are one step on
    version 1 of classic queues; version 2 takes each by itself, and so does a consumer that acknowledges one by one.
    """
    bursts = [each for each in scenario["commands"] if each["do"] == "publish"]
    of_a_log = sum(each["count"] for each in bursts if each.get("sizes") or each.get("expirations"))
    alone = ticks = 0.0
    for publisher, seconds in at_work(scenario, "set_publisher"):
        published = (publisher.get("rate_per_s") or 0.0) * seconds
        alone += published
        ticks += min(published, seconds * 1000 / TICK_MS)
    left = float(messages(scenario))
    for consumer, seconds in at_work(scenario, "set_consumer"):
        taken = min(left, consumer.get("rate_per_s", 1) * seconds)
        left -= taken
        alone += 0 if consumer.get("ack") == "multiple" else taken
        ticks += min(taken, seconds * 1000 / consumer.get("tick_ms", TICK_MS))
    if PROFILES[scenario["profile"]].release.storage.name == CLASSIC_V2:
        alone += 2 * of_a_log
    return LEAST_S + ALONE_S * alone + TICK_S * ticks + BURST_S * len(bursts) + TOGETHER_S * of_a_log
