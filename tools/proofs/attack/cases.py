"""The table of all cases, a file for each group, and what marks those that no tiny run has."""

from __future__ import annotations

from collections.abc import Callable, Collection, Coroutine
from typing import Any, Final

from tools.proofs.attack import (
    bombs,
    crowds,
    deaths,
    files,
    hogs,
    intruders,
    nonsense,
    patterns,
    readers,
    senders,
    storms,
    texts,
)
from tools.proofs.attack.world import World

Case = Callable[[World], Coroutine[Any, Any, None]]

GROUPS: Final[dict[str, tuple[Case, ...]]] = {
    "nonsense": nonsense.CASES,
    "intruders": intruders.CASES,
    "hogs": hogs.CASES,
    "patterns": patterns.CASES,
    "bombs": bombs.CASES,
    "crowds": crowds.CASES,
    "texts": texts.CASES,
    "senders": senders.CASES,
    "readers": readers.CASES,
    "files": files.CASES,
    "storms": storms.CASES,
    "deaths": deaths.CASES,
}
LONG: Final = frozenset(
    {
        nonsense.absurd_files,
        nonsense.addresses_that_lead_nowhere,
        intruders.idle_sockets,
        intruders.all_places_of_a_session,
        intruders.invented_addresses,
        intruders.copied_cookies,
        intruders.locked_out_teachers,
        intruders.classes,
        hogs.one_event_of_many_messages,
        hogs.texts_that_become_large,
        hogs.runs_to_repeat,
        hogs.many_sessions_wake_at_once,
        hogs.links_without_end,
        crowds.stages_that_are_kept,
        crowds.a_leads_file_again_and_again,
        deaths.a_server_asked_to_end,
        deaths.processes_of_a_cluster,
    }
)
"""Those that are not worth their time in a tiny run: others, or a test of their own, show that their way works."""


def chosen(
    tiny: bool, groups: Collection[str] = tuple(GROUPS), only: str = "", first: bool = False
) -> list[Case]:
    """Return cases in their order.

    Args:
        tiny: without the long ones.
        groups: names of groups.
        only: a part of the cases' names.
        first: of each group nothing but its first one.
    """
    found = [
        [case for case in cases if only in case.__name__ and not (tiny and case in LONG)]
        for name, cases in GROUPS.items()
        if name in groups
    ]
    return [case for cases in found for case in (cases[:1] if first else cases)]
