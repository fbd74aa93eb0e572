"""Policies: which one a queue gets, what it asks for in mirrors (H5, H6), how it merges with arguments (P17)."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping
from typing import Any, Final, Literal

import msgspec

from engine.amqp.arguments import PLACE, Row
from engine.amqp.patterns import PatternInvalid, PatternRefused, compiled, found_in
from engine.amqp.rules import REFERENCE, ReleaseValidation
from engine.values.errors import Refusal
from engine.values.labels import bare, host_of

BATCH_SIZE: Final = 4096
"""Default number of messages in one batch of a synchronisation."""
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
"""The keys of a policy that concern mirrors; none is an argument of a queue."""


class Mirroring(msgspec.Struct, frozen=True, kw_only=True):
    """A policy's settings for mirrors (H5).

    Args:
        mode: all, exactly or nodes.
        params: how many members for exactly, the nodes' names for nodes, else None.
        automatic: whether a mirror is synchronised when it joins.
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


def _refused_mirrors(definition: Mapping[str, Any]) -> str | None:
    """Return the broker's refusal of a policy's part about mirrors, None if it accepts it (H6)."""
    if not any(key in definition for key in KEYS):
        return None
    if not isinstance(definition.get("ha-mode", ""), str):
        raise _crashes("ha-mode", definition["ha-mode"])
    if "ha-mode" not in definition:
        return "ha-mode must be specified to specify ha-params, ha-sync-mode or ha-promote-on-shutdown"
    return _of_mode(definition) or _of_the_rest(definition)


def _of_mode(definition: Mapping[str, Any]) -> str | None:
    mode, params = definition["ha-mode"], definition.get("ha-params")
    given = term(params) if "ha-params" in definition else "none"
    if mode not in ("all", "exactly", "nodes"):
        return f"{term(mode)} is not a valid ha-mode value"
    if mode == "nodes":
        return _of_nodes(params, given)
    if mode == "exactly":
        return None if _positive(params) else f'ha-mode="exactly" takes an integer, {given} given'
    return None if given == "none" else 'ha-mode="all" does not take parameters'


def _of_nodes(params: Any, given: str) -> str | None:
    if not isinstance(params, list):
        return f'ha-mode="nodes" takes a list, {given} given'
    if not params:
        return 'ha-mode="nodes" list must be non-empty'
    others = ",".join(term(each) for each in params if not isinstance(each, str))
    return f'ha-mode="nodes" takes a list of strings, [{others}] was not a string' if others else None


def _of_the_rest(definition: Mapping[str, Any]) -> str | None:
    sync_mode, size = definition.get("ha-sync-mode", "manual"), definition.get("ha-sync-batch-size", 1)
    if sync_mode not in ("manual", "automatic"):
        return f'ha-sync-mode must be "manual" or "automatic", got {term(sync_mode)}'
    if not _positive(size):
        return f"ha-sync-batch-size takes an integer greater than 0, {term(size)} given"
    for key in ("ha-promote-on-shutdown", "ha-promote-on-failure"):
        value = definition.get(key, ALWAYS)
        if value not in (ALWAYS, WHEN_SYNCED):
            return f'{key} must be "always" or "when-synced", got {term(value)}'
    return None


def _positive(value: Any) -> bool:
    return _is_integer(value) and bool(value > 0)


Kind = Literal["queues", "exchanges"]
APPLIES: Final[dict[Kind, tuple[str, ...]]] = {
    "queues": ("all", "queues", "classic_queues"),
    "exchanges": ("all", "exchanges"),
}
"""Values of a policy's `apply_to` that include classic queues, and those that include exchanges."""

AGE: Final = re.compile(r"0*[1-9][0-9]*[YMDhms]")
INVALID: Final = "pattern should be regular expression but is invalid: "
WIDTH: Final = 78
"""Most characters of a term that the broker prints in one line (seen: 76 and 79)."""


class Policy(msgspec.Struct, frozen=True, kw_only=True):
    """A policy as it was set. `pattern`: a regular expression, found anywhere in a name. `apply_to`: queues,
    exchanges or all.
    """

    name: str
    pattern: str
    definition: dict[str, Any]
    priority: int = 0
    apply_to: str = "all"


class PolicyRefused(Refusal):
    """A policy that the broker refuses, in its own words, or that this engine does not support."""


def _is_integer(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def wrong_with(row: Row, value: Any, definition: Mapping[str, Any]) -> str | None:
    """Return what a row of a table finds wrong with a policy's value, in the broker's words."""
    kind, words, *rest = row
    return None if _is_taken(kind, rest, value, definition) else str(words).replace(PLACE, term(value))


def _is_taken(kind: str, rest: list[Any], value: Any, definition: Mapping[str, Any]) -> bool:
    text = isinstance(value, str)
    match kind:
        case "mirrors" | "never":  # keys of mirrors are checked together (H6)
            return kind == "mirrors"
        case "text":
            return text
        case "integer":
            return (
                _is_integer(value)
                and all(value >= each for each in rest[:1])
                and all(value <= each for each in rest[1:])
            )
        case "one_of":
            return any(value == each and type(value) is type(each) for each in rest)
        case "age":
            readable = (
                (text and value[:1].isdigit()) if rest == ["numbers"] else isinstance(value, str | list)
            )
            if not readable:  # the broker's own check fails
                raise _crashes("max-age", value)
            return text and AGE.fullmatch(value) is not None
        case _:
            if value in rest and value != "disabled" and "delayed-retry-min" not in definition:
                raise _in_its_words(f"delayed-retry-min is required when delayed-retry-type is {value}")
            return value in rest


def checked(policy: Policy, validation: ReleaseValidation = REFERENCE) -> Policy:
    """Return the policy, if the broker would accept it. Raises PolicyRefused, with the broker's words if the
    broker also refuses it.
    """
    refusals = [_refused_definition(policy.definition, validation)]
    if policy.apply_to not in validation.apply_to:
        refusals.append(validation.apply_to_words.replace(PLACE, policy.apply_to))
    try:
        compiled(policy.pattern)
    except PatternRefused as error:
        raise error.inside("", PolicyRefused) from error
    except PatternInvalid as error:
        why, at = error.said(validation.pcre2)
        refusals.append(INVALID + _pair('"' + why.replace("\\", "\\\\") + '"', str(at)))
    words = "\n".join(filter(None, refusals))
    if words:
        raise _in_its_words(words)
    return policy


def _refused_definition(definition: Mapping[str, Any], validation: ReleaseValidation) -> str | None:
    """Return how the broker refuses a definition, None if it accepts it; keys are checked in order."""
    if not definition:
        return "no policy provided"
    given = dict(sorted(definition.items()))
    known = {name: value for name, value in given.items() if name in validation.keys}
    if validation.mirrors_first and (words := _refused_mirrors(known)) is not None:
        return words
    for name, value in known.items():
        if (words := wrong_with(validation.keys[name], value, known)) is not None:
            return words
    if not validation.mirrors_first and (words := _refused_mirrors(known)) is not None:
        return words
    unknown = [(name, value) for name, value in given.items() if name not in known]
    return f"{listed(unknown)} are not recognised policy settings" if unknown else None


def _pair(one: str, other: str) -> str:
    """Return a pair as the broker prints it after its sentence: in two lines if it is too long for one."""
    line = f"{{{one},{other}}}"
    if len(INVALID) + len(line) <= WIDTH:
        return line
    return f"{{{one},\n{' ' * (len(INVALID) + 1)}{other}}}"


def _in_its_words(words: str) -> PolicyRefused:
    return PolicyRefused("broker_refuses", words=words)


def _crashes(key: str, value: Any) -> PolicyRefused:
    return PolicyRefused("policy_crashes", key=key, value=term(value))


def listed(fields: Iterable[tuple[str, Any]]) -> str:
    """Return names with their values as the broker's messages have them."""
    shown = [f'{{<<"{name}">>,{term(value)}}}' for name, value in fields]
    line = f"[{','.join(shown)}]"
    return line if len(line) <= WIDTH else "[" + ",\n ".join(shown) + "]"


def term(value: Any) -> str:
    """Return a value as the broker's messages have it."""
    if isinstance(value, str):
        return f'<<"{value}">>' if value else "<<>>"
    if isinstance(value, list):
        return f"[{','.join(map(term, value))}]"
    if isinstance(value, dict):
        return f"#{{{','.join(f'{term(key)} => {term(each)}' for key, each in sorted(value.items()))}}}"
    return str(value).lower() if isinstance(value, bool) else str(value)


def policy_of(
    policies: Iterable[Policy], kind: Kind, name: str, not_for_classic: Collection[str] = ()
) -> Policy | None:
    """Return the policy that a queue or an exchange gets: of all that fit, the one with the highest priority
    (P17). Of equal priorities the first by name wins (the broker leaves it open).
    """
    fits = APPLIES[kind]
    vhost, called = host_of(name), bare(name)
    fitting = [
        each
        for each in policies
        if each.apply_to in fits
        and host_of(each.name) == vhost
        and found_in(each.pattern, called)
        and (kind == "exchanges" or not any(key in not_for_classic for key in each.definition))
    ]
    return min(fitting, key=lambda each: (-each.priority, each.name), default=None)


class EffectivePolicy(msgspec.Struct, frozen=True, kw_only=True):
    """The values that apply to a queue, merged from its arguments and its policy. `overflow`: drop-head,
    reject-publish or reject-publish-dlx. `queue_mode`: default or lazy; None leaves the mode as it is.
    `queue_version`: 1 or 2, of the files; None leaves them as they are (W2).
    """

    expires_ms: int | None = None
    message_ttl_ms: int | None = None
    max_length: int | None = None
    max_length_bytes: int | None = None
    dead_letter_exchange: str | None = None
    dead_letter_routing_key: str | None = None
    overflow: str = "drop-head"
    queue_mode: str | None = None
    queue_version: int | None = None


SMALLER_WINS: Final = ("expires", "message-ttl", "max-length", "max-length-bytes")
ARGUMENT_WINS: Final = (
    "dead-letter-exchange",
    "dead-letter-routing-key",
    "overflow",
    "queue-mode",
    "queue-version",
)
_FIELDS: Final = {"expires": "expires_ms", "message-ttl": "message_ttl_ms"}


def effective(arguments: Mapping[str, Any], policy: Policy | None) -> EffectivePolicy:
    """Return the values that apply to a queue with these x-arguments under a policy (P17). Of two limits the
    smaller counts; otherwise the argument wins over the policy.
    """
    definition = policy.definition if policy is not None else {}
    found: dict[str, Any] = {}
    for name in (*SMALLER_WINS, *ARGUMENT_WINS):
        values = [each for each in (arguments.get(f"x-{name}"), definition.get(name)) if each is not None]
        if values:
            value = min(values) if name in SMALLER_WINS else values[0]
            found[_FIELDS.get(name, name.replace("-", "_"))] = value
    return EffectivePolicy(**found)


def expiry_ms(queue_ttl_ms: int | None, expiration_ms: int | None) -> int | None:
    """Return how long a message may stay: the smaller of the queue's TTL and its own expiration (P8)."""
    return min((each for each in (queue_ttl_ms, expiration_ms) if each is not None), default=None)


def too_long(limits: EffectivePolicy, ready: int, ready_bytes: int) -> bool:
    """Return whether this many ready messages and bytes exceed the queue's limits (P8 step 5)."""
    return (limits.max_length is not None and ready > limits.max_length) or (
        limits.max_length_bytes is not None and ready_bytes > limits.max_length_bytes
    )
