"""Messages between the rooms of one class in several processes, and to the processes that have the students' sessions.

A room reads the database, so it needs no other room for what the class does. It does need others for who is
connected there, to hold a session that runs elsewhere while the class is frozen, and to watch one.
"""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import Iterable
from typing import Final

from playground.classroom import rooms
from playground.hosting.session import page_messages
from playground.records import paused_sessions
from playground.sessions import cluster_control, live_hosts

MIX_TIMEOUT_S: Final = 0.3

Mix = list[int] | None

_holding: set[int] = set()
_mixes: dict[str, tuple[float, Mix]] = {}
"""What other processes reported of their sessions, and when."""
_answering: set[asyncio.Task[None]] = set()


def begin() -> None:
    """Listen to other processes."""
    cluster_control.on("class", lambda sender, classroom: rooms.announce_change_here(classroom))
    cluster_control.on(
        "present", lambda sender, classroom, online: rooms.elsewhere(classroom, sender, online)
    )
    cluster_control.on("hold", _hold)
    cluster_control.on("ask_mixes", _answer_mixes)
    cluster_control.on("mixes", _take_mixes)


# --- holding ---


def hold(classroom: int, sessions: list[str], frozen: bool) -> None:
    """Hold the students' sessions wherever they are while the class is frozen: no commands, and no time passes."""
    if frozen:
        _hold_here(classroom, sessions)
        _holding.add(classroom)
        cluster_control.broadcast("hold", classroom=classroom, sessions=sessions)
    else:
        paused_sessions.release(_key(classroom))
        if classroom in _holding:
            _holding.discard(classroom)
            cluster_control.broadcast("hold", classroom=classroom, sessions=[])


def _key(classroom: int) -> str:
    return f"class {classroom}"


def _hold_here(classroom: int, sessions: Iterable[str], **lasts: float) -> None:
    for public_id in paused_sessions.hold(_key(classroom), sessions, **lasts):
        host = live_hosts.registry().host(public_id)
        if host is not None:
            host.say(page_messages.ControlRun(False))


def _hold(sender: str, classroom: int, sessions: list[str]) -> None:
    """Do what a room elsewhere asks for, unless there is one here, which reads the class itself."""
    if rooms.of(classroom) is None:
        _hold_here(classroom, sessions, lasts_s=rooms.FRESH_S)


# --- mixes ---


async def mixes_of(sessions: list[str]) -> dict[str, Mix]:
    """Return how many alphas, betas, gammas and deltas sessions hold: now, or, for those elsewhere, a moment ago."""
    here = [public_id for public_id in sessions if live_hosts.registry().host(public_id) is not None]
    away = sorted(set(sessions) - set(here))
    if away:
        cluster_control.broadcast("ask_mixes", sessions=away)
    now_s = time.monotonic()
    for public_id in [each for each, (at_s, _mix) in _mixes.items() if now_s - at_s > rooms.FRESH_S]:
        del _mixes[public_id]
    found = {public_id: _mixes[public_id][1] for public_id in away if public_id in _mixes}
    return found | dict(zip(here, await asyncio.gather(*map(_mix, here)), strict=True))


async def _mix(public_id: str) -> Mix:
    host = live_hosts.registry().host(public_id)
    if host is None:
        return None
    with contextlib.suppress(TimeoutError):
        return await asyncio.wait_for(host.mix(), MIX_TIMEOUT_S)
    return None


def _answer_mixes(sender: str, sessions: list[str]) -> None:
    """Answer for the sessions that are awake here."""
    here = [public_id for public_id in sessions if live_hosts.registry().host(public_id) is not None]
    if here:
        task = asyncio.get_running_loop().create_task(_answer(here))
        _answering.add(task)
        task.add_done_callback(_answering.discard)


async def _answer(sessions: list[str]) -> None:
    mixes = await asyncio.gather(*map(_mix, sessions))
    cluster_control.broadcast("mixes", mixes=dict(zip(sessions, mixes, strict=True)))


def _take_mixes(sender: str, mixes: dict[str, Mix]) -> None:
    now_s = time.monotonic()
    _mixes.update({public_id: (now_s, mix) for public_id, mix in mixes.items()})
