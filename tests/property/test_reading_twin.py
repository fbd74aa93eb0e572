"""The page reads a state as the engine does: Greek letters, places, values at paths and conditions (Q3)."""

from __future__ import annotations

from typing import Any

import msgspec
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.backing_queue.message_places import places_of
from engine.broker.cluster import Cluster
from engine.reading.conditions import Condition, ConditionWatch, value_at
from engine.reading.message_places import letters_of, placements
from engine.replay import RunPlayer, WatchedRun
from engine.storage.ledger import LedgerStorage
from engine.values.extents import IN_RAM
from tests.helpers.twin import Twin
from tests.property.test_node_fold import OVERRIDES, PROFILES, PROGRAMS, scenario_of, submit

OF_QUEUE = (
    "mode durable ready unacked alpha beta gamma delta delta.count delta.end place.3 place.x lanes.q3.messages "
    "lanes.q2.messages_in_ram lanes.q3.messages_indexed lanes.q4.0.1 lanes.length counters.len "
    "counters.target_ram_count index.journal_and_buffer_bytes index.segments.0.1"
).split()
PATHS = [
    *(f"queue.{each}" for each in OF_QUEUE),
    *(["queues", "orders", *each.split(".")] for each in OF_QUEUE),
    *(f"stores.persistent.{each}" for each in ("file_bytes", "valid_bytes", "garbage_bytes", "files.length")),
    *("node.memory.process_memory", "node.memory.paging_at", "node.alarms.memory", "node.actors.a.state"),
    *(
        "happened.Published",
        "happened.Nothing",
        "moved.Fetched",
        "became.gamma",
        "stopped.kill",
        "figures.x",
        "queue.mode.length",
    ),
    *("queues.constructor", "__proto__.x", "queue.place", "happened.length"),
]
VALUES = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-1, 70),
    st.floats(-2, 70, allow_nan=False).map(lambda value: round(value, 1)),
    st.sampled_from(["default", "lazy", "q3", "gone", "unacked", "running", ""]),
    st.sampled_from(PATHS).map(lambda path: {"path": path}),
)
COMPARISONS = st.fixed_dictionaries(
    {"path": st.sampled_from(PATHS), "value": VALUES},
    optional={"op": st.sampled_from(["==", "!=", ">", ">=", "<", "<="])},
)


def combined(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    several = st.lists(inner, min_size=1, max_size=3)
    some = [st.fixed_dictionaries({name: several}) for name in ("all", "any")]
    return st.one_of(*some, *(st.fixed_dictionaries({name: inner}) for name in ("not", "ever", "always")))


CONDITIONS = st.lists(st.recursive(COMPARISONS, combined, max_leaves=4), min_size=4, max_size=30)
UNTIL = "Object.values(m.conditionsOf({ queues: {} })).map(({ when }) => when('orders', 3))"


def test_the_page_reads_a_state_as_the_engine_does(twin: Twin) -> None:
    """The conditions of "run until", which the page offers, are among those that are compared."""
    runs: list[list[dict[str, Any]]] = []
    until = twin.evaluate(UNTIL, "model/until.js")
    assert until

    @settings(max_examples=30, deadline=None, derandomize=True)
    @given(PROFILES, OVERRIDES, PROGRAMS, CONDITIONS)
    def gather(
        profile: str, overrides: dict[str, Any], program: list[tuple[dict[str, Any], int]], forms: list[Any]
    ) -> None:
        node = Cluster(scenario_of(profile, overrides), LedgerStorage(), keep=1_000_000)
        watched = WatchedRun(node, RunPlayer(node))
        forms = [*until, *forms]
        read = [msgspec.convert(form, Condition) for form in forms]
        watches = [ConditionWatch(each) for each in read]
        moments: list[dict[str, Any]] = []
        for command, pause_us in program:
            submit(node, command)
            watched.go(node.now_us + pause_us)
            rows = node.log.since(moments[-1]["next"] if moments else 0)
            assert rows is not None
            moment = msgspec.json.decode(msgspec.json.encode(watched.moment()))
            answers = []
            for form, each, watch in zip(forms, read, watches, strict=True):
                watch.observe(moment)
                answers.append([form, watch.holds(moment), value_at(moment, each.path or "-")])
            moments.append(
                {
                    "rows": rows.rows,
                    "next": rows.next,
                    "state": moment,
                    "letters": {name: letters_of(queue) for name, queue in moment["queues"].items()},
                    "places": {name: placements(queue) for name, queue in moment["queues"].items()},
                    "conditions": answers,
                }
            )
            for queue in moment["queues"].values():
                for place in [each.name for each in places_of(queue) if each.content == "ram"]:
                    assert all(row[4] & IN_RAM for row in queue["lanes"][place]), "Q3: these hold alphas only"
        runs.append(moments)

    gather()
    twin.agrees("reading-twin.mjs", runs)
