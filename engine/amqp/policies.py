"""Policies: which one a queue gets, and what it means beside the queue's own arguments (P17)."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final, Literal

import msgspec

from engine.amqp.arguments import LOCATORS, OVERFLOWS, QUEUE_MODES
from engine.amqp.mirroring import KEYS, refusal_of
from engine.amqp.patterns import PatternInvalid, PatternRefused, compiled, found_in
from engine.values.errors import Refusal
from engine.values.labels import bare, host_of

Kind = Literal["queues", "exchanges"]

STRATEGIES: Final = ("at-most-once", "at-least-once")
LEADERS: Final = ("client-local", "balanced", "random", "least-leaders")
AGE: Final = re.compile(r"[0-9]+[YMDhms]")
INVALID: Final = "pattern should be regular expression but is invalid: "
WIDTH: Final = 80
"""Where the broker breaks a term that it prints."""


class Policy(msgspec.Struct, frozen=True, kw_only=True):
    """A policy as it was set.

    Args:
        pattern: a regular expression, found anywhere in a name.
        apply_to: one of the kinds that the release has.
    """

    name: str
    pattern: str
    definition: dict[str, Any]
    priority: int = 0
    apply_to: str = "all"


class PolicyRules(msgspec.Struct, frozen=True, kw_only=True):
    """Which policies a release takes; the defaults are 3.10.8's.

    Args:
        without: keys that it does not know.
        besides: keys that it knows and 3.10.8 does not.
        any_number: keys whose whole number may be below 0.
        denied: keys that it knows and takes from nobody, with its words.
        kinds: what a policy can apply to.
        other_kind: its words for anything else.
    """

    without: frozenset[str] = frozenset()
    besides: frozenset[str] = frozenset()
    any_number: frozenset[str] = frozenset()
    denied: dict[str, str] = {}
    kinds: tuple[str, ...] = ("queues", "exchanges", "all")
    other_kind: str = "should be 'queues', 'exchanges' or 'all'"

    def taking_all(self) -> PolicyRules:
        """Return the rules without what the release refuses: kept runs have policies that it never took."""
        return msgspec.structs.replace(self, without=frozenset(), denied={})


REFERENCE: Final = PolicyRules()

RULES_3_8: Final = PolicyRules(
    without=frozenset(
        {
            "dead-letter-strategy",
            "initial-cluster-size",
            "max-age",
            "queue-leader-locator",
            "queue-version",
            "stream-max-segment-size-bytes",
        }
    )
)

RULES_4_0: Final = PolicyRules(
    without=frozenset(KEYS),
    besides=frozenset({"consumer-timeout", "target-group-size"}),
    any_number=frozenset({"delivery-limit"}),
    kinds=("queues", "classic_queues", "quorum_queues", "streams", "exchanges", "all"),
    other_kind=(
        "should be one of: 'queues', 'classic_queues',  'quorum_queues', 'streams', 'exchanges', or 'all'"
    ),
)

LOCATOR: Final = "queue-master-locator"
RULES_4_3: Final = msgspec.structs.replace(
    RULES_4_0, denied={LOCATOR: f"use of deprecated {LOCATOR} argument is not permitted"}
)


class PolicyRefused(Refusal):
    """The broker would not take this policy, in its own words; or this engine cannot do what it asks for."""


def _any(_: Any) -> bool:
    return True


def _natural(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0


_KNOWN: Final[dict[str, tuple[Callable[[Any], bool], str]]] = {
    "alternate-exchange": (lambda v: isinstance(v, str), "alternate exchange name"),
    "dead-letter-exchange": (lambda v: isinstance(v, str), "dead letter exchange name"),
    "dead-letter-routing-key": (lambda v: isinstance(v, str), "dead letter routing key"),
    "message-ttl": (_natural, "message TTL"),
    "expires": (lambda v: _natural(v) and v >= 1, "queue expiry"),
    "max-length": (_natural, "maximum length"),
    "max-length-bytes": (_natural, "maximum length in bytes"),
    "queue-mode": (lambda v: v in QUEUE_MODES, "queue-mode value"),
    "queue-version": (lambda v: v in (1, 2), "queue-version value"),
    "overflow": (lambda v: v in OVERFLOWS, "overflow value"),
    "dead-letter-strategy": (lambda v: v in STRATEGIES, "dead letter strategy"),
    "max-in-memory-length": (_natural, "maximum memory in bytes"),
    "max-in-memory-bytes": (_natural, "maximum memory in bytes"),
    "delivery-limit": (_natural, "delivery limit"),
    "max-age": (lambda v: isinstance(v, str) and AGE.fullmatch(v) is not None, "max age"),
    "stream-max-segment-size-bytes": (_natural, "segment size"),
    "queue-leader-locator": (lambda v: v in LEADERS, "queue leader locator value"),
    "initial-cluster-size": (_natural, "cluster size"),
    "queue-master-locator": (lambda v: v in LOCATORS, "queue-master-locator value"),
}


def checked(policy: Policy, rules: PolicyRules = REFERENCE) -> Policy:
    """Return the policy, if the broker would take it.

    Args:
        policy: as somebody wants it.
        rules: of the release.

    Raises PolicyRefused, with the broker's words where the broker would not take it either.
    """
    refusals = [_refused_definition(policy.definition, rules)]
    if policy.apply_to not in rules.kinds:
        refusals.append(f"apply-to '{policy.apply_to}' unrecognised; {rules.other_kind}")
    try:
        compiled(policy.pattern)
    except PatternRefused as error:
        raise error.inside("", PolicyRefused) from error
    except PatternInvalid as error:
        refusals.append(INVALID + _pair(f'"{error.why}"', str(error.at)))
    words = "\n".join(filter(None, refusals))
    if words:
        raise PolicyRefused("broker_refuses", words=words)
    return policy


def _refused_definition(definition: Mapping[str, Any], rules: PolicyRules) -> str | None:
    """Return how the broker refuses a definition, None where it takes it."""
    if not definition:
        return "no policy provided"
    known = {*_KNOWN, *KEYS, *rules.besides} - rules.without
    unknown = sorted((name, value) for name, value in definition.items() if name not in known)
    if unknown:
        return f"{listed(unknown)} are not recognised policy settings"
    for name, value in definition.items():
        if name in rules.denied:
            return rules.denied[name]
        good, words = _KNOWN.get(name, (_any, ""))
        if not (good(value) or (name in rules.any_number and isinstance(value, int))):
            objection = "invalid" if name == LOCATOR else "is not a valid"
            return f"{term(value)} {objection} {words}"
    return refusal_of(definition, term)


def _pair(one: str, other: str) -> str:
    """Return a pair as the broker prints it behind its sentence: in two lines where it is too long for one."""
    line = f"{{{one},{other}}}"
    if len(INVALID) + len(line) <= WIDTH:
        return line
    return f"{{{one},\n{' ' * (len(INVALID) + 1)}{other}}}"


def listed(fields: Iterable[tuple[str, Any]]) -> str:
    """Return names with their values as the broker's messages have them, one a line where one is too short."""
    named = [_named(*each) for each in fields]
    line = f"[{','.join(named)}]"
    return line if len(line) < WIDTH - 1 else f"[{f',{chr(10)} '.join(named)}]"


def _named(name: str, value: Any) -> str:
    return f'{{<<"{name}">>,{term(value)}}}'


def term(value: Any) -> str:
    """Return a value as the broker's messages have it."""
    if isinstance(value, str):
        return f'<<"{value}">>'
    if isinstance(value, list):
        return f"[{','.join(map(term, value))}]"
    return str(value).lower() if isinstance(value, bool) else str(value)


APPLIES: Final[Mapping[Kind, tuple[str, ...]]] = {
    "queues": ("all", "queues", "classic_queues"),
    "exchanges": ("all", "exchanges"),
}
"""What a policy must apply to for a queue or an exchange of here: every queue is a classic one."""


def policy_of(policies: Iterable[Policy], kind: Kind, name: str) -> Policy | None:
    """Return the policy that a queue or an exchange gets: of all that fit, the one with the highest priority.

    Of equal priorities the first by name wins (the broker leaves it open).
    """
    vhost, called = host_of(name), bare(name)
    fitting = [
        each
        for each in policies
        if each.apply_to in APPLIES[kind] and host_of(each.name) == vhost and found_in(each.pattern, called)
    ]
    return min(fitting, key=lambda each: (-each.priority, each.name), default=None)


class Effective(msgspec.Struct, frozen=True, kw_only=True):
    """What a queue obeys, after its arguments and its policy are merged.

    Args:
        overflow: drop-head, reject-publish or reject-publish-dlx.
        queue_mode: default or lazy; None leaves the mode as it is.
        queue_version: 1 or 2, of the files; None leaves them as they are (W2).
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


def effective(arguments: Mapping[str, Any], policy: Policy | None) -> Effective:
    """Return what a queue with these x-arguments obeys under a policy (P17).

    Of two limits the smaller counts; elsewhere the argument wins over the policy.
    """
    definition = policy.definition if policy is not None else {}
    found: dict[str, Any] = {}
    for name in (*SMALLER_WINS, *ARGUMENT_WINS):
        values = [each for each in (arguments.get(f"x-{name}"), definition.get(name)) if each is not None]
        if values:
            value = min(values) if name in SMALLER_WINS else values[0]
            found[_FIELDS.get(name, name.replace("-", "_"))] = value
    return Effective(**found)


def expiry_ms(queue_ttl_ms: int | None, expiration_ms: int | None) -> int | None:
    """Return how long a message may stay: the smaller of the queue's TTL and its own expiration (P8)."""
    return min((each for each in (queue_ttl_ms, expiration_ms) if each is not None), default=None)


def too_long(limits: Effective, ready: int, ready_bytes: int) -> bool:
    """Return whether so many ready messages and bytes are more than the queue may hold (P8 step 5)."""
    return (limits.max_length is not None and ready > limits.max_length) or (
        limits.max_length_bytes is not None and ready_bytes > limits.max_length_bytes
    )
