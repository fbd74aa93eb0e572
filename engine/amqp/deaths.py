"""Dead letters: the headers that the broker writes, and the cycles that it breaks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final, Literal

Reason = Literal["expired", "rejected", "maxlen"]
NoClause = tuple[str, str, Literal["function_clause", "case_clause"]]
MATCHER: Final = "rabbit_dead_letter,'-queue_and_reason_matcher/2-inlined-0-'"
COUNTER: Final = "rabbit_dead_letter,increment_xdeath_event_count"
"""Before 4.0 the first has no clause for an entry of `x-death` that is no table, the second none for another count."""


def unmatched(headers: Mapping[str, Any] | None, queue: str, reason: Reason) -> NoClause | None:
    """Return what of a client's `x-death` list ends the queue's process before 4.0 (D16), None where nothing does.

    Returns:
        The function without a clause, what it was given as Erlang writes it, and which kind of clause it lacks.
    """
    deaths = (headers or {}).get("x-death")
    entries = deaths if isinstance(deaths, list) else []
    for each in entries:
        if not isinstance(each, dict):
            return MATCHER, _written(each), "function_clause"
    again = {"queue": queue, "reason": reason}
    for each in entries:
        count = each.get("count", 0)
        if _same(each, again) and (not isinstance(count, int) or isinstance(count, bool)):
            return COUNTER, _written(count), "case_clause"
    return None


def _written(value: Any) -> str:
    match value:
        case str():
            return f'[{{longstr,<<"{value}">>}}]'
        case bool():
            return f"[{{bool,{str(value).lower()}}}]"
        case int() | float():
            return f"[{{{'long' if isinstance(value, int) else 'double'},{value}}}]"
        case list():
            return "[{array,...}]"
    return "[{void,undefined}]"


def died(
    headers: Mapping[str, Any] | None,
    *,
    reason: Reason,
    queue: str,
    exchange: str,
    routing_key: str,
    time_s: int,
    expiration_ms: int | None = None,
    new_routing_key: str | None = None,
    copies: Sequence[str] | None = None,
    died_before: bool = False,
) -> dict[str, Any]:
    """Return the headers of a dead-lettered message.

    `x-death` has one entry for each pair of queue and reason, the latest first, with a count; only the first death of a
    pair leaves its time, exchange and keys. A message that dies for the first time gets `x-first-death-*` too. Before
    4.0 each death reverses the older entries, and a client's own header counts like the broker's (D16).

    Args:
        routing_key: with which it was published; the keys of its CC header count, too.
        time_s: of its death, seconds since 1970.
        expiration_ms: its own expiration; the dead-lettered message has none.
        new_routing_key: the queue's dead-letter-routing-key, which removes the CC header.
        copies: further routing keys, if deaths are kept apart from headers (W223).
        died_before: whether the headers come from an earlier death, if deaths are kept apart: headers that a client
            wrote do not count then.
    """
    kept = dict(headers or {})
    if copies is not None and not died_before:
        kept.pop("x-death", None)
    carbon = kept.get("CC")
    carbon = carbon if isinstance(carbon, list) else []
    keys = [routing_key, *carbon] if copies is None else _without_blind([routing_key, *copies], len(carbon))
    death: dict[str, Any] = {
        "count": 1,
        "reason": reason,
        "queue": queue,
        "time": time_s,
        "exchange": exchange,
        "routing-keys": keys,
    }
    if expiration_ms is not None:
        death["original-expiration"] = str(expiration_ms)
    before = kept.get("x-death")
    if before is None:
        kept |= {
            "x-first-death-exchange": exchange,
            "x-first-death-queue": queue,
            "x-first-death-reason": reason,
            "x-death": [death],
        }
    else:
        kept["x-death"] = _with_another(before, death, turned=copies is None)
    if copies is not None:
        kept |= {
            "x-last-death-exchange": exchange,
            "x-last-death-queue": queue,
            "x-last-death-reason": reason,
        }
    elif new_routing_key is not None:
        kept.pop("CC", None)
    return dict(sorted(kept.items()))


def _without_blind(keys: list[str], carbon: int) -> list[str]:
    """Return keys without those of BCC (the last ones): for each, its first occurrence is removed."""
    left = list(keys)
    for blind in keys[1 + carbon :]:
        left.remove(blind)
    return left


def _with_another(before: Any, death: dict[str, Any], turned: bool) -> list[dict[str, Any]]:
    """Return the deaths with this one in front. `turned`: whether to group the older ones again, which
    reverses them (D16).
    """
    if not isinstance(before, list):  # a client turned it into something else: begin again
        return [death]
    older = _grouped(before)[::-1] if turned else before
    again = next((each for each in older if _same(each, death)), None)
    if again is not None:
        death = {**again, "count": again.get("count", 0) + 1}
    return [dict(sorted(death.items())), *(each for each in older if not _same(each, death))]


def _grouped(deaths: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the first entry of each pair of queue and reason, with a count if there were several."""
    groups: dict[tuple[Any, Any], list[dict[str, Any]]] = {}
    for each in deaths:
        groups.setdefault((each.get("queue"), each.get("reason")), []).append(each)
    if len(deaths) < 2:
        return deaths
    return [{"count": len(group), **group[0]} for group in groups.values()]


def _same(one: Mapping[str, Any], other: Mapping[str, Any]) -> bool:
    return bool(one.get("queue") == other["queue"] and one.get("reason") == other["reason"])


def without_cycles(
    reason: Reason, headers: Mapping[str, Any], queues: Sequence[str]
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the queues that a dead letter goes to, and those that it skips because it was already there. If
    a consumer rejected the message, a cycle is allowed, because it was intended. `headers`: of the
    dead-lettered message, with this death.
    """
    deaths = headers.get("x-death")
    if reason == "rejected" or not isinstance(deaths, list):
        return tuple(queues), ()
    cycling = tuple(queue for queue in queues if _is_cycle(queue, deaths))
    return tuple(queue for queue in queues if queue not in cycling), cycling


def _is_cycle(queue: str, deaths: Sequence[Mapping[str, Any]]) -> bool:
    for place, death in enumerate(deaths):
        if death.get("queue") == queue:
            return all(each.get("reason") != "rejected" for each in deaths[: place + 1])
    return False
