"""Whole reports: what of them a node has is what the broker calls so, and a remark names that there is more."""

from __future__ import annotations

import json
from typing import Any

import pytest

from engine.broker.commands.scenario import parse
from engine.ctl.console import ask_node, operated
from engine.ctl.releases import FACTS
from engine.storage.ledger import LedgerStorage
from playground.inspecting import definitions
from tests.ctl.compare import differing
from tests.ctl.played import profile_of
from tests.ctl.played import recorded as answers_to
from tests.ctl.record import LINES


def answer(line: str, profile: str = "real", **settings: Any) -> str:
    topology = {"queues": [{"name": "orders"}], "vhosts": [{"name": "prod", "queues": [{"name": "jobs"}]}]}
    scenario = {"version": 1, "profile": profile, "settings": settings, "topology": topology}
    found = ask_node(operated(parse(scenario), LedgerStorage()), line)
    assert found.code == 0
    return found.text


def theirs(release: str, line: str, which: str = "first") -> str:
    """Return what the release answered to a line."""
    return next(each["text"] for each in answers_to(release, which) if each["line"] == line)


def _within(mine: Any, theirs: Any, place: str = "") -> None:
    """Fail where a key of ours is none of the broker's, or has a value of another kind."""
    if isinstance(mine, dict) and place.count("/") < 2:
        for key, value in mine.items():
            assert key in theirs, f"{place}/{key}"
            _within(value, theirs[key], f"{place}/{key}")
    else:
        assert type(mine) is type(theirs), place


@pytest.mark.parametrize("release", FACTS)
@pytest.mark.parametrize(
    ("line", "recorded", "part"),
    [
        ("status --formatter json", "rabbitmq-diagnostics status --formatter json", 0.4),
        ("cluster_status --formatter json", "cluster_status --formatter json", 0.6),
    ],
)
def test_json_has_the_broker_s_keys(line: str, recorded: str, part: float, release: str) -> None:
    mine = json.loads(answer(line, profile_of(release), disk_total_bytes=10**10))
    real = json.loads(theirs(release, recorded))
    assert len(mine) >= part * len(real)
    _within(mine, real)


@pytest.mark.parametrize("release", FACTS)
@pytest.mark.parametrize("line", ["rabbitmqctl status", "rabbitmqctl cluster_status"])
def test_text_has_the_broker_s_lines(line: str, release: str) -> None:
    """Of each line its name, before the figures, is one that the release prints, in the release's order."""
    lines = answer(line, profile_of(release), disk_total_bytes=10**10).splitlines()
    real = [each.partition(":")[0] for each in theirs(release, line, "releases").splitlines()]
    heads = [each.partition(":")[0] for each in lines if each]
    parts = set(FACTS[release].idle)
    missing = [each for each in heads if each not in real and each not in parts]
    assert missing == []
    titles = [
        each
        for each in heads
        if each in ("Runtime", "Alarms", "Memory", "Totals", "Versions", "Feature flags")
    ]
    assert titles == [each for each in real if each in titles]


def test_the_environment_is_read_as_the_settings_of_a_session() -> None:
    """What is printed is a configuration: pasted into Inspect it gives the same node."""
    given = {
        "vm_memory_high_watermark": 0.6,
        "vm_memory_high_watermark_paging_ratio": 0.75,
        "queue_index_embed_msgs_below": 1024,
    }
    text = answer("environment", **given)
    assert text.startswith("Application environment of node rabbit@waterline ...\n[{rabbit,\n     [{")
    found = definitions.read_configuration(text)
    assert {name: found.settings[name] for name in given} == given
    every = theirs("3.10.8", "rabbitmqctl environment")
    for line in text.splitlines()[2:-1]:
        key = line.strip(" [{").partition(",")[0]
        assert f"{{{key}," in every or key in definitions.NAMES, "a key that the broker lists, or takes"


@pytest.mark.parametrize("release", FACTS)
def test_a_report_has_everything_at_once_of_each_virtual_host(release: str) -> None:
    text = answer("report", profile_of(release))
    for part in ("Status of node", "Cluster status of node", "Application environment"):
        assert part in text
    hosts = ["Listing queues for vhost / ...\n", "Listing queues for vhost prod ...\n"]
    assert text.index(hosts[0]) < text.index("\norders\t") < text.index(hosts[1]) < text.index("\njobs\t")
    assert text.splitlines()[-1].startswith("Waterline: a broker prints")
    assert "backing_queue_status" not in text


@pytest.mark.parametrize("release", FACTS)
def test_listings_of_a_report_have_the_release_s_form(release: str) -> None:
    """Banner and columns are those of a real report, in its order."""
    mine, real = answer("report", profile_of(release)), theirs(release, "rabbitmqctl report", "releases")
    for banner in (
        "Listing queues for vhost / ...",
        "Listing exchanges for vhost / ...",
        "Listing bindings for vhost /...",
    ):
        columns = [text.partition(f"{banner}\n")[2].partition("\n")[0] for text in (mine, real)]
        assert columns[0] == columns[1]


@pytest.mark.parametrize("release", FACTS)
def test_as_many_lines_differ_as_are_known_to(release: str, capsys: pytest.CaptureFixture[str]) -> None:
    """What `make console-lines` measures on a real node, here with the recorded answers."""
    for which in LINES:
        differing(answers_to(release, which), release)
    assert "NEW" not in capsys.readouterr().out
