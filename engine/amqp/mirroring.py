"""What a policy asks for in mirrors, and what the broker refuses of it (H5, H6)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

import msgspec

BATCH_SIZE: Final = 4096
"""Messages of one batch of a synchronisation, where nothing else is set."""
ALWAYS: Final = "always"
WHEN_SYNCED: Final = "when-synced"

KEYS: Final = (
    "ha-mode",
    "ha-params",
    "ha-sync-mode",
    "ha-sync-batch-size",
    "ha-promote-on-shutdown",
    "ha-promote-on-failure",
)
"""The keys of a policy that concern mirrors; none of it is a queue's argument."""


class Mirroring(msgspec.Struct, frozen=True, kw_only=True):
    """What a queue's policy wants of its mirrors (H5).

    Args:
        mode: all, exactly or nodes.
        params: how many members for exactly, the nodes' names for nodes, else None.
        automatic: whether a mirror is synchronised as soon as it joins.
        batch_size: messages of one batch of a synchronisation.
        promote_on_shutdown, promote_on_failure: always or when-synced.
    """

    mode: str
    params: Any = None
    automatic: bool = False
    batch_size: int = BATCH_SIZE
    promote_on_shutdown: str = WHEN_SYNCED
    promote_on_failure: str = ALWAYS


def mirroring_of(definition: Mapping[str, Any]) -> Mirroring | None:
    """Return the part of a policy's definition about mirrors; None when it has no ha-mode."""
    if "ha-mode" not in definition:
        return None
    size = definition.get("ha-sync-batch-size", BATCH_SIZE)
    return Mirroring(
        mode=definition["ha-mode"],
        params=definition.get("ha-params"),
        automatic=definition.get("ha-sync-mode") == "automatic",
        batch_size=BATCH_SIZE if size == 1 else size,  # 1 counts as not set
        promote_on_shutdown=definition.get("ha-promote-on-shutdown", WHEN_SYNCED),
        promote_on_failure=definition.get("ha-promote-on-failure", ALWAYS),
    )


def refusal_of(definition: Mapping[str, Any], erlang: Callable[[Any], str]) -> str | None:
    """Return the broker's refusal of a policy's part about mirrors, None where it takes it (H6).

    Args:
        erlang: writes a value as the broker does.
    """
    if not any(key in definition for key in KEYS):
        return None
    if "ha-mode" not in definition:
        return "ha-mode must be specified to specify ha-params, ha-sync-mode or ha-promote-on-shutdown"
    return _of_mode(definition, erlang) or _of_the_rest(definition, erlang)


def _of_mode(definition: Mapping[str, Any], erlang: Callable[[Any], str]) -> str | None:
    mode, params = definition["ha-mode"], definition.get("ha-params")
    given = erlang(params) if "ha-params" in definition else "none"
    if mode not in ("all", "exactly", "nodes"):
        return f"{erlang(mode)} is not a valid ha-mode value"
    if mode == "nodes":
        return _of_nodes(params, given, erlang)
    if mode == "exactly":
        return None if _positive(params) else f'ha-mode="exactly" takes an integer, {given} given'
    return None if given == "none" else 'ha-mode="all" does not take parameters'


def _of_nodes(params: Any, given: str, erlang: Callable[[Any], str]) -> str | None:
    if not isinstance(params, list):
        return f'ha-mode="nodes" takes a list, {given} given'
    if not params:
        return 'ha-mode="nodes" list must be non-empty'
    others = ",".join(erlang(each) for each in params if not isinstance(each, str))
    return f'ha-mode="nodes" takes a list of strings, [{others}] was not a string' if others else None


def _of_the_rest(definition: Mapping[str, Any], erlang: Callable[[Any], str]) -> str | None:
    sync_mode, size = definition.get("ha-sync-mode", "manual"), definition.get("ha-sync-batch-size", 1)
    if sync_mode not in ("manual", "automatic"):
        return f'ha-sync-mode must be "manual" or "automatic", got {erlang(sync_mode)}'
    if not _positive(size):
        return f"ha-sync-batch-size takes an integer greater than 0, {erlang(size)} given"
    for key in ("ha-promote-on-shutdown", "ha-promote-on-failure"):
        value = definition.get(key, ALWAYS)
        if value not in (ALWAYS, WHEN_SYNCED):
            return f'{key} must be "always" or "when-synced", got {erlang(value)}'
    return None


def _positive(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value > 0
