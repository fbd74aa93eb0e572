"""What others ask a host about its session, answered between two instants."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable
from typing import Any, TypeVar

import msgspec

from playground.hosting.keeper import Keeper

logger = logging.getLogger(__name__)

T = TypeVar("T")


class Moment(msgspec.Struct):
    """Where a run is: what a link to it must repeat."""

    at_us: int
    digest: str
    scenario: dict[str, Any]
    commands: list[tuple[int, dict[str, Any]]]


async def look(answer: asyncio.Future[T | None], keeper: Keeper, see: Callable[[dict[str, Any]], T]) -> None:
    """Answer with what `see` makes of the state, None while the session sleeps."""
    run, seen = keeper.awake, None
    try:
        if run is not None:
            seen = await keeper.in_worker(lambda: see(run.node.snapshot()))
    except Exception:  # a look must never cost anybody the session
        logger.exception("session %s could not be looked at", keeper.session_id)
    if not answer.done():  # who asked may have stopped waiting
        answer.set_result(seen)


async def moment(answer: asyncio.Future[Moment], keeper: Keeper, wake: Callable[[], Awaitable[None]]) -> None:
    """Answer with where the run is, waking it first."""
    try:
        await wake()
        run, record = keeper.run, keeper.record
        await keeper.in_worker(run.finish_instant)
    except Exception as error:
        if not answer.done():
            answer.set_exception(error)
        raise
    if not answer.done():
        commands = list(record.commands)
        answer.set_result(Moment(run.node.now_us, run.node.log.digest, record.scenario, commands))
