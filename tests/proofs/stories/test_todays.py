"""Stories on the engine, against what nodes of other releases showed of the same steps; `make stories` is live."""

from __future__ import annotations

from pathlib import Path

import pytest

from engine.broker.commands.scenario import parse
from engine.ctl.console import operated
from engine.releases import RELEASES
from engine.report.transitions.node import ChannelClosed, ConnectionClosed
from engine.storage.ledger import LedgerStorage
from tools.proofs.stories.engine import EnginePlayer
from tools.proofs.stories.run import compared, play, read_recorded
from tools.proofs.stories.story import Story, View

HERE = Path(__file__).parent
RECORDED = [
    (path.stem.rpartition("-")[2], *each)
    for path in sorted(HERE.glob("*-[34].*.jsonl"))
    for each in read_recorded(path)
]


@pytest.mark.parametrize(("release", "story", "theirs"), RECORDED, ids=lambda each: getattr(each, "name", ""))
def test_clients_see_what_they_saw_of_a_node(release: str, story: Story, theirs: list[View]) -> None:
    """W220-W224, W228-W230: limits and ends of channels, queues that die, cancels, deaths, failed deliveries.

    Those called `directed` are retries, cycles, commits to queues that went, messages that are too large, policies that
    change. Of them cycle-default is kept for 4.3.6 alone: what a channel sends to a queue and what another queue buries
    there have no order (as in p20000253), and neither a 4.0.5 nor a 3.8.9 showed the engine's one in 12 runs. Nor
    did a 3.8.9 of cycle-lazy.
    """
    assert not compared(story, play(story, EnginePlayer(release)), theirs)


@pytest.mark.parametrize("release", [each.name for each in RELEASES.values()])
def test_an_unknown_type_closes_the_channel_or_the_connection(release: str) -> None:
    """W225."""
    profile = next(each.profiles["real"] for each in RELEASES.values() if each.name == release)
    scenario = {"version": 1, "profile": profile, "topology": {}, "until_us": 1}
    node = operated(parse(scenario), LedgerStorage(), 100)
    node.submit({"do": "declare_exchange", "name": "x", "type": "odd"})
    rows = node.log.since(0)
    assert rows is not None
    kind = ChannelClosed if release.startswith("4.") else ConnectionClosed
    assert [row.code for row in rows.rows if isinstance(row, kind)] == [
        503 if kind is ConnectionClosed else 406
    ]


@pytest.mark.parametrize(("release", "priorities"), [("3.10.8", 1), ("4.0.5", 2), ("4.3.6", 2)])
def test_a_queue_of_no_priorities_has_one_above_nothing_today(release: str, priorities: int) -> None:
    """W226."""
    player = EnginePlayer(release)
    player.begin()
    player.take({"do": "declare_queue", "name": "q", "durable": True, "arguments": {"x-max-priority": 0}})
    assert len(player.node.queues["q"].process.queue.parts) == priorities


@pytest.mark.parametrize("kind", ["clean", "kill"])
@pytest.mark.parametrize(
    ("release", "stays"), [("3.8.9", False), ("3.10.8", False), ("4.0.5", False), ("4.3.6", True)]
)
def test_an_exchange_that_is_not_durable_outlives_a_restart_of_4_3(
    release: str, stays: bool, kind: str
) -> None:
    """W227: with its binding; one that is deleted with its last binding goes with a queue that is not durable."""
    player = EnginePlayer(release)
    player.begin()
    for queue, durable in (("kept", True), ("gone", False)):
        player.take({"do": "declare_queue", "name": queue, "durable": durable})
    player.take({"do": "declare_exchange", "name": "x", "type": "fanout", "durable": False})
    player.take(
        {"do": "declare_exchange", "name": "last", "type": "fanout", "durable": True, "auto_delete": True}
    )
    player.take({"do": "bind", "exchange": "x", "queue": "kept", "routing_key": ""})
    player.take({"do": "bind", "exchange": "last", "queue": "gone", "routing_key": ""})
    player.take({"do": "restart", "kind": kind})
    seen = player.take({"do": "publish", "sizes": [5], "exchange": "x", "routing_key": ""})
    assert seen.queues["kept"] == (int(stays), 0)
    assert [code for _, code, _ in seen.closed] == ([] if stays else [404])
    assert ("last" in player.node.definitions.exchanges.exchanges) is not stays
