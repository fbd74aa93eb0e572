"""What the page says of a moment is what it shows: headline, log, Why?, gauges and table, in three languages."""

from __future__ import annotations

from pathlib import Path

import pytest

from engine.replay.player import on_ledger
from playground.sessions import session_sharing
from tests.helpers.twin import Twin
from tests.helpers.word_runs import catalogs, gathered


def test_what_is_said_is_what_is_shown(twin: Twin, repo_root: Path) -> None:
    texts = catalogs(repo_root)
    runs = [{"catalogs": texts, **run} for run in gathered(14)]
    assert sum(len(run["rows"]) for run in runs) > 500
    twin.agrees("words-twin.mjs", runs)


def test_the_first_page_says_of_its_message_what_is_shown(twin: Twin, repo_root: Path) -> None:
    """The whole run of the first page: each beat's sentence at every moment, to the last that the message has left."""
    node = on_ledger({**session_sharing.DEMO_SCENARIO}, keep=1_000_000)
    node.advance(session_sharing.DEMO_SCENARIO["until_us"])
    news = node.log.since(0)
    assert news is not None
    beats = ["Alpha", "Beta", "Delta", "Gamma", "Delivered", "Message"]
    run = {"rows": news.rows, "at_us": news.at_us, "follow": [session_sharing.DEMO_FOLLOWED], "beats": beats}
    twin.agrees("words-twin.mjs", [{"catalogs": catalogs(repo_root), **run}])


@pytest.mark.soak
def test_what_is_said_is_what_is_shown_at_length(twin: Twin, repo_root: Path) -> None:
    texts = catalogs(repo_root)
    runs = gathered(2000)
    for first in range(0, len(runs), 100):
        twin.agrees("words-twin.mjs", [{"catalogs": texts, **run} for run in runs[first : first + 100]])
