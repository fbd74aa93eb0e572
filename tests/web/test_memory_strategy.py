"""RAM means three different things (M9): each page that shows some says which one it is."""

from __future__ import annotations

import re
from typing import Any

import pytest
from django.test import Client

from playground.storybook.cards import counted_as
from playground.whatif.shipped import DIRECTORY
from tests.conftest import ROOT

TEMPLATES = ROOT / "templates"
SHOWS_RAM = re.compile(r'data-gauge="ram"|option value="ram"|[Bb]ytes of RAM|peak RAM|node-memory')
"""A gauge, a curve or figures of it."""
SAYS_WHICH = re.compile(r"data-counted-as|_counted_as\.html|vm_memory_calculation_strategy")


def test_every_template_that_shows_ram_says_how_it_is_counted() -> None:
    showing = {
        str(path.relative_to(TEMPLATES)): text
        for path in TEMPLATES.rglob("*.html")
        if SHOWS_RAM.search(text := path.read_text(encoding="utf-8"))
    }
    assert {"playground/_stage.html", "whatif/_side.html", "comparing/_pair.html"} <= showing.keys()
    assert [name for name, text in showing.items() if not SAYS_WHICH.search(text)] == []


def test_every_script_that_writes_how_much_memory_a_node_has_says_how_it_is_counted() -> None:
    reads = re.compile(r"bytes\(used\)|\bmemoryText\b")
    scripts = {
        path.name: text
        for path in (ROOT / "static" / "js" / "view").rglob("*.js")
        if reads.search(text := path.read_text(encoding="utf-8"))
    }
    assert {"gauges.js", "gauge-bars.js", "nodes.js"} <= scripts.keys()
    assert [name for name, text in scripts.items() if "strategyOf" not in text] == []


@pytest.mark.django_db
@pytest.mark.parametrize("name", sorted(path.stem for path in DIRECTORY.glob("*.parquet")))
def test_every_heatmap_says_how_its_memory_is_counted(client: Client, name: str) -> None:
    page = client.get("/whatif/", {"h": name}).content.decode()
    [strategy] = re.findall(r"data-counted-as>[^<]*strategy ([a-z, ]+) \(", page)
    assert strategy == ("rss, erlang, allocated" if name == "memory-strategy" else "erlang")


@pytest.mark.parametrize(
    ("scenario", "strategy"),
    [
        ({}, "erlang"),
        ({"settings": {"vm_memory_calculation_strategy": "rss"}}, "rss"),
        (
            {"commands": [{"do": "set", "name": "vm_memory_calculation_strategy", "value": "allocated"}]},
            "erlang, allocated",
        ),
    ],
)
def test_the_strategy_of_a_run_is_what_it_begins_with_and_is_given(
    scenario: dict[str, Any], strategy: str
) -> None:
    assert counted_as([scenario, scenario]) == strategy
