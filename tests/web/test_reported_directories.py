"""Directories as public reports have them, of the size that was tried on a real 3.10.8: the same figures come out."""

from __future__ import annotations

import pytest

from engine.broker.commands.scenario import parse
from engine.ctl.console import operated
from engine.storage.directory import DirectoryStorage
from playground.inspecting import reading
from playground.inspecting.uploads import Files, ReleaseChoice

SECOND_US = 1_000_000
GIBIBYTE = 1 << 30


@pytest.fixture(scope="module")
def killed(tmp_path_factory: pytest.TempPathFactory) -> Files:
    """Return what a kill leaves of 3,000 persistent messages of 8,000 bytes, of which 500 were acknowledged."""
    root = tmp_path_factory.mktemp("node")
    scenario = {"version": 1, "profile": "real", "settings": {"ram_bytes": 16 * GIBIBYTE}, "until_us": 0}
    node = operated(parse(scenario), DirectoryStorage(str(root), fsync=False))
    node.submit({"do": "publish", "count": 3000, "size_bytes": 8000, "persistent": True})
    node.advance(5 * SECOND_US)
    consumer = {"name": "c1", "prefetch": 500, "ack": "each", "rate_per_s": 100}
    node.submit({"do": "set_consumer", **consumer})
    node.advance(10 * SECOND_US + 5_000)
    node.submit({"do": "remove", "name": "c1"})
    node.advance(15 * SECOND_US)
    assert node.snapshot()["queues"]["orders"]["counters"]["len"] == 2500
    paths = [path for path in root.rglob("*") if path.is_file() and ".durable" not in path.parts]
    return {str(path.relative_to(root)): path.read_bytes() for path in paths}


@pytest.mark.parametrize(
    ("gone", "back", "unowned"),
    [("nothing", 2500, 0), ("persistent/0.rdq", 952, 0), (".idx", 0, 3000), ("journal.jif", 2500, 0)],
)
def test_after_a_kill_as_many_come_back_as_on_the_broker(
    killed: Files, gone: str, back: int, unowned: int
) -> None:
    """Issues 13228 and 3836; bodies that no index has are said, with their bytes."""
    report, _ = reading.directory({path: data for path, data in killed.items() if not path.endswith(gone)})
    [queue] = report["queues"]
    assert queue["back"] == back
    assert sum(each["count"] for each in report["unowned"]) == unowned
    assert bool(report["damage"]) == (gone in ("persistent/0.rdq", "journal.jif"))


def test_an_emptied_store_after_a_clean_stop_is_listed_and_not_readable(mixed: Files) -> None:
    """Issue 13228, all of its kinds: the store's files are gone, or those of transient messages alone."""
    emptied, _ = reading.directory(
        {path: data for path, data in mixed.items() if not path.endswith(".rdq")}, ReleaseChoice(day=1.0)
    )
    assert emptied["stop"]["clean"]
    assert [(row["listed"], row["unreadable"], row["back"]) for row in emptied["queues"]] == [
        (16, 12, 7),
        (5, 4, 3),
    ]
    missing = [row["file"] for row in emptied["damage"] if row["code"] == "store_file_missing"]
    assert missing == ["msg_store_persistent/0.rdq", "msg_store_transient/0.rdq"]
    kept = {path: data for path, data in mixed.items() if path != "msg_store_transient/0.rdq"}
    assert [
        (row["listed"], row["unreadable"])
        for row in reading.directory(kept, ReleaseChoice(day=1.0))[0]["queues"]
    ] == [
        (16, 0),
        (5, 0),
    ]
