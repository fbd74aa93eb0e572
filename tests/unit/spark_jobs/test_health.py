"""A master or executors that no longer answer are told within ten seconds, once, and again when they are back."""

from __future__ import annotations

import socket
from types import SimpleNamespace
from typing import Any

import pytest

from spark_jobs.errors import JobError
from spark_jobs.health import GIVE_UP_S, ClusterHealth


def session_of(master: str, executors: list[int]) -> Any:
    """Return as much of a session as is asked: its master, and how many executors it has now."""
    tracker = SimpleNamespace(getExecutorInfos=lambda: [None] * (executors[0] + 1))
    scala = SimpleNamespace(statusTracker=lambda: tracker)
    return SimpleNamespace(
        sparkContext=SimpleNamespace(master=master, _jsc=SimpleNamespace(sc=lambda: scala))
    )


def test_what_is_silent_is_told() -> None:
    executors = [1]
    listener = socket.create_server(("127.0.0.1", 0))
    port = listener.getsockname()[1]
    health = ClusterHealth(session_of(f"spark://127.0.0.1:{port}", executors))
    assert [health.complaint(now) for now in (0, 2, 4)] == [None] * 3
    listener.close()
    told = [health.complaint(now) for now in (6, 8, 10, 12, 14, 16)]
    assert told[:3] == [None] * 3
    assert told[3] == (
        f"spark://127.0.0.1:{port} no longer answers; the tasks that run go on. Start it anew if it died"
    )
    assert told[4:] == [None, None]
    executors[0] = 0
    told = [health.complaint(now) for now in (20, 26)]
    assert told == [
        None,
        "no executor is left; the sweep waits until the cluster gives it one. Ctrl-C ends it",
    ]
    with pytest.raises(JobError) as gone:
        health.complaint(26 + GIVE_UP_S)
    assert gone.value.code == "cluster_lost"
    executors[0] = 2
    assert health.complaint(200) == "the executors answer again"


@pytest.mark.parametrize("master", ["local[2]", "yarn", "k8s://https://there:443"])
def test_other_masters_have_supervisors_of_their_own(master: str) -> None:
    assert ClusterHealth(session_of(master, [0])).complaint(1000) is None
