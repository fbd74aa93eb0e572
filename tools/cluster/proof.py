"""What a cluster is for: the process that has a session stops or dies, another repeats it, and nothing is lost.

Needs what `make dev-env` installs.
"""

import asyncio
import json
import os
import re
import signal
import time
from collections.abc import Callable
from typing import Any

from websockets.exceptions import ConnectionClosed, InvalidHandshake

from bench.websocket import Socket, Visitor
from tools.cluster.cluster import Cluster

LEASE_S = 9
KILLED_S = 2 * LEASE_S / 3
"""A lease is renewed at a third of its time: whoever waited until it lapses would wait longer."""
PATIENCE_S = 0.2
MOVED = 4015


async def owner_dies(cluster: Cluster) -> str:
    """Stop the owner of a session, let it write late, kill its heir; return what was observed, or fail."""
    visitor = Visitor(cluster.url)
    path, socket_path = await asyncio.to_thread(begin, visitor)
    first = cluster.apps[node(socket_path)]
    second = next(app for app in cluster.apps.values() if app is not first and app.process.poll() is None)
    stage = await joined(visitor, socket_path)
    await stage.send(t="control", play=False)
    assert await command(stage, 1, 13) == "accepted"

    # The owner sleeps, and another one has the session meanwhile; then the owner goes on where it was.
    os.kill(first.process.pid, signal.SIGSTOP)
    try:
        await stage.send(t="command", id=2, command=_publish(7))
        direct = Visitor(
            second.url, jar=visitor.jar
        )  # the proxy waits for a process that is stopped, not dead
        begun_s = time.monotonic()
        heir = await joined(direct, socket_path)
        taken_s = time.monotonic() - begun_s
        await heir.send(t="control", play=False)
        assert await command(heir, 3, 40) == "accepted"
    finally:
        os.kill(first.process.pid, signal.SIGCONT)
    late = await _end_of(stage)
    assert "accepted" not in late["kinds"], "the late command of the old owner was acknowledged"
    assert late["code"] == MOVED, late
    assert late["moved"] == f"{socket_path.split('?')[0]}?node={second.name}", late
    before = await asyncio.to_thread(run_so_far, visitor, path)
    assert before["counts"] == [13, 40], before

    # Its heir is killed, and whoever is left repeats the run.
    second.process.kill()
    second.process.wait()
    begun_s = time.monotonic()
    again = await joined(visitor, late["moved"])
    killed_s = time.monotonic() - begun_s
    assert killed_s < KILLED_S, f"the sessions of a process that was killed were free after {killed_s:.1f} s"
    after = await asyncio.to_thread(run_so_far, visitor, path)
    await again.close()
    assert after == before, (before, after)
    return (
        f"stopped: taken over after {taken_s:.1f} s, the late command refused; "
        f"killed: taken over after {killed_s:.1f} s, the same digest {after['digest']}"
    )


def begin(visitor: Visitor) -> tuple[str, str]:
    """Begin a session; return the path of its page, and that of its socket with the hint."""
    visitor.get("/play/")
    page = visitor.post("/s/new", profile="classroom")
    path = re.search(r'"session": "([2-9a-z]+)"', page)
    socket_path = re.search(r'"websocket": "([^"]+)"', page)
    assert path is not None
    assert socket_path is not None
    return f"/s/{path[1]}", socket_path[1]


def node(socket_path: str) -> str:
    """Return the process that a socket's path names."""
    return socket_path.rsplit("node=", 1)[1]


def run_so_far(visitor: Visitor, path: str) -> dict[str, Any]:
    """Return the session's run so far: its digest, and how much each command published."""
    scenario = json.loads(visitor.get(f"{path}/scenario.json"))
    return {"digest": scenario["digest"], "counts": [each["count"] for each in scenario["commands"]]}


async def joined(visitor: Visitor, socket_path: str) -> Socket:
    """Return a socket that was welcomed, however often it has to connect again."""
    while True:
        try:
            socket = await Socket.connect(visitor, socket_path)
            await socket.send(t="hello", have=None)
            await _until(socket, lambda message: message["t"] == "snapshot")
        except (ConnectionClosed, InvalidHandshake, OSError):
            await asyncio.sleep(PATIENCE_S)
        else:
            return socket


async def _until(socket: Socket, wanted: Callable[[dict[str, Any]], bool]) -> dict[str, Any]:
    while True:
        message = await socket.receive()
        if message["t"] in {"frame", "snapshot"}:
            first = message["next"] if message["t"] == "snapshot" else message["first"] + len(message["rows"])
            await socket.send(t="ack", through=first)
        if wanted(message):
            return message


def _publish(count: int) -> dict[str, Any]:
    return {"do": "publish", "count": count, "size_bytes": 100}


async def command(socket: Socket, number: int, count: int) -> str:
    """Publish so many messages; return the kind of the answer."""
    await socket.send(t="command", id=number, command=_publish(count))
    answer = await _until(socket, lambda message: message.get("id") == number)
    return str(answer["t"])


async def _end_of(socket: Socket) -> dict[str, Any]:
    """Read up to the end; return the kinds of messages, where it was sent to, and the code of the close."""
    kinds: list[str] = []
    moved = None
    while True:
        try:
            message = await socket.receive()
        except ConnectionClosed as closed:
            code = closed.rcvd.code if closed.rcvd else None
            return {"kinds": kinds, "moved": moved, "code": code}
        kinds.append(message["t"])
        moved = message.get("websocket", moved)
