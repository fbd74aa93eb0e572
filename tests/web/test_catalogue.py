"""What is generated from the engine's classes is up to date, and the classes say enough."""

from __future__ import annotations

from pathlib import Path
from typing import get_args

import msgspec
import pytest

from engine.broker.cluster import Cluster
from engine.broker.commands.scenario import parse
from engine.replay.player import PlayedFrame, encode, frame_message, snapshot_message
from engine.report.transitions.base import UNITS, Group, Transition
from engine.storage.ledger import LedgerStorage
from engine.transitions import all_kinds, fields_of
from playground.templatetags.waterline import log_groups
from tools.catalogue import written_files
from tools.catalogue.__main__ import main
from tools.catalogue.script_modules import HostMessage, wire_fields

KINDS = {kind.__name__: kind for kind in all_kinds()}


def test_generated_files_are_up_to_date(repo_root: Path) -> None:
    assert written_files.stale(repo_root) == [], "run python -m tools.catalogue"
    assert main(["--check"]) == 0


def test_the_check_fails_on_a_file_that_was_changed_by_hand(
    tmp_path: Path, settings: object, capsys: pytest.CaptureFixture[str]
) -> None:
    written = written_files.write(tmp_path)
    assert written == list(written_files.FILES)
    assert written_files.write(tmp_path) == []
    path = tmp_path / written[0]
    path.write_text(path.read_text("utf-8").replace("Published", "Publshed"), "utf-8")
    settings.BASE_DIR = tmp_path  # type: ignore[attr-defined]
    assert main(["--check"]) == 1
    assert written[0] in capsys.readouterr().out


@pytest.mark.parametrize("kind", KINDS.values(), ids=list(KINDS))
def test_each_kind_says_what_is_known_of_it(kind: type[Transition]) -> None:
    assert "about" in vars(kind), "each class says it itself"
    assert kind.about.group in get_args(Group)
    assert 0 <= kind.about.weight <= 10
    assert "kind" not in fields_of(kind), "the name of the class has this name in JavaScript"
    numbers = {each.name for each in wire_fields(kind) if each.type in {"number", "number | null"}}
    assert numbers <= {*UNITS, *kind.about.units}, "each number has a unit"


def test_the_log_can_be_filtered_by_each_group() -> None:
    assert [group for group, _label in log_groups()] == list(get_args(Group))


def test_messages_have_the_shapes_of_the_pages_types() -> None:
    topology = {
        "queues": [{"name": "orders"}],
        "exchanges": [{"name": "x", "type": "fanout"}],
        "bindings": [{"exchange": "x", "queue": "orders"}],
    }
    node = Cluster(parse({"version": 1, "profile": "classroom", "topology": topology}), LedgerStorage())
    node.submit({"do": "publish", "count": 300, "size_bytes": 6144, "persistent": True})
    node.submit({"do": "set", "name": "target_ram_count", "value": 9})
    node.submit({"do": "get", "count": 3})
    node.advance(3_000_000)
    rows = node.log.since(0)
    assert rows is not None
    state = node.snapshot()
    assert state["queues"]["orders"]["counted"]["delta"][1]
    assert state["node"]["bindings"]
    for message in (
        snapshot_message(rows.next, node.now_us, state, "join", {}, node.log.digest),
        frame_message(
            PlayedFrame(0, rows.at_us, rows.rows), node.now_us, digest=node.log.digest, play=True, speed=1.0
        ),
        frame_message(PlayedFrame(0), node.now_us, ack=False),
    ):
        msgspec.json.decode(encode(message), type=HostMessage, strict=True)
