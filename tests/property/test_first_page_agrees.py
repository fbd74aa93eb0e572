"""What the first page says of its message is in the files and on the gauges of the moment that is drawn."""

from __future__ import annotations

import json
from pathlib import Path

from engine.replay.player import on_ledger
from playground.sessions import session_sharing
from tests.helpers.twin import Twin
from tests.helpers.word_runs import catalogs

TOLD = [
    "Alpha: message",
    "Beta: the content of message %(seq)s sank to disk",
    "Delta: nothing of message %(seq)s is in RAM",
    "Gamma: the content of message %(seq)s is on disk",
    "Delivered: message",
]
"""What the beats of the story say: where a beat is drawn all of it is in files, so that the sentence is short."""


def test_a_sentence_of_the_first_page_is_held_by_files_and_gauges(twin: Twin, repo_root: Path) -> None:
    """S140, S143, S21: what a queue hands to the store is in no file until the store has written its buffer.

    The story's message, one that was read back early, the last transient one, and persistent ones; at every transition.
    """
    node = on_ledger({**session_sharing.DEMO_SCENARIO}, keep=1_000_000)
    node.advance(session_sharing.DEMO_SCENARIO["until_us"])
    news = node.log.since(0)
    assert news is not None
    follow = [session_sharing.DEMO_FOLLOWED, 3, 14, 27, 28, 40]
    run = {"rows": news.rows, "at_us": news.at_us, "follow": follow, "told": TOLD}
    counted = json.loads(twin.agrees("first-page-twin.mjs", [{"catalogs": catalogs(repo_root), **run}]))
    assert counted["claims"] > 1000, counted
    assert counted["causes"] > 1000, counted
    assert counted["beats"] >= 3 * len(TOLD), counted
