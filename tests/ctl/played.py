"""A node on which the same was done as on the one that was recorded, and what its console answers line by line."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from contextlib import suppress
from typing import Any, Final

from engine.broker.cluster import Cluster
from engine.broker.commands import scenario
from engine.ctl.console import Answer, ask, operated
from engine.releases import RELEASES
from engine.storage.ledger import LedgerStorage
from engine.values.errors import EngineError
from tests.ctl.record import NAMES, recorded_in

RAM_BYTES: Final = 25_276_502_016
"""Of the machine on which the answers were recorded: 0.4 of it is what they give as the limit."""
BREAKDOWN: Final = "memory_breakdown"
UNORDERED: Final = (
    "list_queues",
    "list_exchanges",
    "list_bindings",
    "list_policies",
    "list_vhosts",
    BREAKDOWN,
)
"""Listings whose rows the broker gives in the order of a hash table, or of its own sizes."""
LINE_DRAWING: Final = str.maketrans(
    "lqwkxtnumvj", "\u250c\u2500\u252c\u2510\u2502\u251c\u253c\u2524\u2514\u2534\u2518"
)
"""The frames of a pretty table on a terminal without UTF-8."""
OWN: Final = (
    (r"(?<=ports )[0-9]+, [0-9]+|(?<=cluster-id-)[\w-]+", ""),
    (r'(?<="port":)[0-9]+|(?<=port: )[0-9]+(?=, protocol: clustering)|(?<=epmd \(port )[0-9]+', "0"),
    (r"(?<=following ports: ).*", ""),
    (r"127\.0\.0\.1:[0-9]+ ->", "127.0.0.1:0 ->"),
    (r"(?<=\t127\.0\.0\.1\t)[0-9]+", "0"),
    (r"<(rabbit@waterline)\.[0-9.]+>|#PID<[0-9.]+>", r"<\1.pid>"),
    (r"waterline@vm", "rabbit@waterline"),
    (r"(?<=: )[0-9.]+ (bytes|kb|mb|gb) \([0-9.]+%\)", r"0 \1 (0%)"),
    (r"(?<=_rate,)[0-9.e-]+", "0.0"),
    (r"(?<=_buffer_size,)[0-9]+|(?<=_num_up,)[0-9]+", "0"),
)
"""What is each node's own: ports, processes, rates, what is not written yet, its memory, and the machine's name."""

Recorded = list[dict[str, Any]]


def recorded(release: str, which: str) -> Recorded:
    """Return a release's answers to a set of lines."""
    found: Recorded = json.loads(recorded_in(release, which).read_text(encoding="utf-8"))
    return found


def names_recorded(release: str) -> dict[str, Any]:
    """Return the names of a release's commands and columns."""
    found: dict[str, Any] = json.loads(recorded_in(release, NAMES).read_text(encoding="utf-8"))
    return found


def profile_of(release: str) -> str:
    """Return the profile with the constants of a release."""
    return next(each.profiles["real"] for each in RELEASES.values() if each.name == release)


def made_node(profile: str = "real") -> Cluster:
    """Return a node on which the same was done as on the real one (see `record._fill`)."""
    topology = {
        "queues": [
            {"name": "orders"},
            {"name": "lazy", "arguments": {"x-queue-mode": "lazy", "x-max-length": 100}},
        ],
        "exchanges": [{"name": "events", "type": "topic"}],
        "bindings": [
            {"exchange": "events", "queue": "orders", "routing_key": "a.#"},
            {"exchange": "amq.headers", "queue": "lazy", "arguments": {"kind": "big", "x-match": "any"}},
        ],
    }
    settings = {
        "ram_bytes": RAM_BYTES,
        "disk_total_bytes": 30_000_000_000,
        "vm_memory_calculation_strategy": "rss",
    }
    made = {"version": 1, "profile": profile, "seed": 1, "commands": [], "until_us": 1}
    node = operated(scenario.parse({**made, "settings": settings, "topology": topology}), LedgerStorage())
    node.submit({"do": "publish", "count": 3, "size_bytes": 100})
    node.submit({"do": "publish", "count": 1, "size_bytes": 100, "routing_key": "lazy"})
    node.advance(100_000)
    node.submit({"do": "set_consumer", "name": "c1", "prefetch": 2, "ack": "each", "rate_per_s": 1})
    node.advance(200_000)
    return node


def shown(node: Cluster) -> dict[str, Any]:
    """Return a node's state as if the publisher were the consumer's connection: the recording has one connection."""
    state = node.snapshot()
    actors = state["node"]["actors"]
    publishing = actors.pop("burst", None)
    if publishing and "c1" in actors and publishing.get("state") in ("blocking", "blocked"):
        actors["c1"]["state"] = "blocking"
    return state


def made_state(profile: str = "real") -> dict[str, Any]:
    """Return the state of such a node."""
    return shown(made_node(profile))


def answers(
    given: Iterable[dict[str, Any]], profile: str = "real"
) -> Iterator[tuple[dict[str, Any], Answer]]:
    """Yield each recorded answer with the console's own; what a line changes is done before the next."""
    node = made_node(profile)
    state = shown(node)
    for each in given:
        found = ask(each["line"], state, 0, node.live())
        yield each, found
        if found.changes:
            with suppress(EngineError):
                node.submit({"do": "ctl", "line": each["line"]})
            if each["line"] == "start_app":  # the recording's client does not connect again
                node.submit({"do": "remove", "name": "c1"})
            state = shown(node)


def comparable(line: str, text: str) -> list[str]:
    """Return the lines of an answer without what is a node's own, and in one order where the broker has none."""
    for pattern, own in OWN:
        text = re.sub(pattern, own, text)
    text = re.sub(r"\x1b\(0(.*?)\x1b\(B", lambda frame: frame[1].translate(LINE_DRAWING), text)
    if BREAKDOWN in line and text.startswith("{"):
        return [f"{name}: {','.join(sizes)}" for name, sizes in sorted(json.loads(text).items())]
    if "json" in line and text.startswith("["):  # whose keys have the order of a hash table in 4.3
        return sorted(json.dumps(row, sort_keys=True) for row in json.loads(text))
    if "info_all" in line:
        return sorted(queue.strip("[], \n") for queue in text.split("[{name,"))
    lines = text.splitlines()
    if any(name in line for name in UNORDERED) and not text.startswith("Error"):
        return sorted(row.removeprefix(",") for row in lines)
    return lines


def is_equal(each: dict[str, Any], found: Answer) -> bool:
    """Return whether the console's answer is the broker's, in text and exit code."""
    line = each["line"]
    return comparable(line, found.text) == comparable(line, each["text"]) and found.code == each["code"]
