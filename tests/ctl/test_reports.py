"""Whole reports: what of them a node has is what the broker calls so, and a remark names that there is more."""

from __future__ import annotations

import json
from typing import Any

import pytest

from engine.broker.commands.scenario import parse
from engine.ctl.operator import ask, operated
from engine.storage.ledger import LedgerStorage
from playground.inspecting import configuration, reading
from tests.ctl.compare import differing
from tests.ctl.played import recorded as answers_to

RECORDED = answers_to()
BROKER: dict[str, str] = {each["line"]: each["text"] for each in RECORDED}


def answer(line: str, **settings: Any) -> str:
    topology = {"queues": [{"name": "orders"}], "vhosts": [{"name": "prod", "queues": [{"name": "jobs"}]}]}
    scenario = {"version": 1, "profile": "real", "settings": settings, "topology": topology}
    found = ask(operated(parse(scenario), LedgerStorage()), line)
    assert found.code == 0
    return found.text


def _within(mine: Any, theirs: Any, place: str = "") -> None:
    """Fail where a key of ours is none of the broker's, or has a value of another kind."""
    if isinstance(mine, dict) and place.count("/") < 2:
        for key, value in mine.items():
            assert key in theirs, f"{place}/{key}"
            _within(value, theirs[key], f"{place}/{key}")
    else:
        assert type(mine) is type(theirs), place


@pytest.mark.parametrize(
    ("line", "recorded"),
    [
        ("status --formatter json", "rabbitmq-diagnostics status --formatter json"),
        ("cluster_status --formatter json", "cluster_status --formatter json"),
    ],
)
def test_json_has_the_broker_s_keys(line: str, recorded: str) -> None:
    mine, theirs = json.loads(answer(line, disk_total_bytes=10**10)), json.loads(BROKER[recorded])
    theirs["versions"] = theirs.get("versions", {})
    assert len(mine) >= len(theirs) / 2
    _within(mine, theirs)


def test_the_environment_is_read_as_the_settings_of_a_session() -> None:
    """What is printed is a configuration: pasted into Inspect it gives the same node."""
    given = {
        "vm_memory_high_watermark": 0.6,
        "vm_memory_high_watermark_paging_ratio": 0.75,
        "queue_index_embed_msgs_below": 1024,
    }
    text = answer("environment", **given)
    assert text.startswith("Application environment of node rabbit@waterline ...\n[{rabbit,\n     [{")
    found = configuration.read(text)
    assert {name: found.settings[name] for name in given} == given
    every = BROKER["rabbitmqctl environment"]
    for line in text.splitlines()[2:-1]:
        key = line.strip(" [{").partition(",")[0]
        assert f"{{{key}," in every or key in configuration.NAMES, "a key that the broker lists, or takes"


def test_a_report_has_everything_at_once_of_each_virtual_host() -> None:
    text = answer("report")
    listings = ("Queues on /:", "Queues on prod:")
    for part in ("Status of node", "Cluster status of node", "Application environment", *listings):
        assert part in text
    assert text.index("orders\t") < text.index("Queues on prod:") < text.index("jobs\t")
    assert text.splitlines()[-1].startswith("Waterline: a broker prints")
    assert {each["name"] for each in reading.listing(text)["figures"]} == {"orders", "jobs"}


@pytest.mark.parametrize(("which", "differ"), [("", 7), ("runbooks", 51), ("more", 23)])
def test_as_many_lines_differ_as_are_known_to(
    which: str, differ: int, capsys: pytest.CaptureFixture[str]
) -> None:
    """What `make console-lines` measures on a real node, here with the recorded answers.

    Of runbooks' lines those differ that make users, limits and parameters, which a session does not keep.
    """
    assert len(differing(answers_to(which))) == differ
    assert "NEW" not in capsys.readouterr().out
