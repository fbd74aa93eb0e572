"""Which policy a queue gets, and what it means beside the queue's arguments (P17)."""

import pytest

from engine.amqp.patterns import MAX_DEPTH, MAX_STEPS, PatternInvalid, PatternRefused, compiled, found_in
from engine.amqp.policies import (
    EffectivePolicy,
    Policy,
    PolicyRefused,
    checked,
    effective,
    expiry_ms,
    policy_of,
    too_long,
)


def _policy(name="p", pattern=".*", priority=0, apply_to="all", **definition) -> Policy:
    keys = {key.replace("_", "-"): value for key, value in definition.items()}
    return Policy(name=name, pattern=pattern, definition=keys, priority=priority, apply_to=apply_to)


def test_highest_priority_that_fits_wins():
    policies = [
        _policy("low", max_length=1),
        _policy("high", "^or", 5, max_length=2),
        _policy("exchanges", priority=9, apply_to="exchanges", alternate_exchange="x"),
    ]
    assert policy_of(policies, "queues", "orders").name == "high"
    assert policy_of(policies, "queues", "other").name == "low"
    assert policy_of(policies, "exchanges", "orders").name == "exchanges"
    assert policy_of([], "queues", "orders") is None


def test_smaller_limit_wins_and_otherwise_the_argument():
    arguments = {
        "x-max-length": 10,
        "x-message-ttl": 5,
        "x-overflow": "reject-publish",
        "x-dead-letter-exchange": "mine",
        "x-queue-mode": "default",
    }
    policy = _policy(
        max_length=3,
        message_ttl=7,
        overflow="drop-head",
        dead_letter_exchange="theirs",
        queue_mode="lazy",
        dead_letter_routing_key="k",
        expires=1000,
    )
    assert effective(arguments, policy) == EffectivePolicy(
        expires_ms=1000,
        message_ttl_ms=5,
        max_length=3,
        overflow="reject-publish",
        dead_letter_exchange="mine",
        dead_letter_routing_key="k",
        queue_mode="default",
    )


def test_without_either_the_queue_mode_does_not_change():
    assert effective({}, None) == EffectivePolicy()
    assert effective({}, None).queue_mode is None
    assert effective({"x-max-length": 0}, _policy(max_length=5)).max_length == 0


def test_limits():
    limits = EffectivePolicy(max_length=2, max_length_bytes=100)
    assert too_long(limits, 3, 0)
    assert too_long(limits, 0, 101)
    assert not too_long(limits, 2, 100)
    assert not too_long(EffectivePolicy(), 10**9, 10**12)
    assert expiry_ms(5, 3) == 3
    assert expiry_ms(None, 3) == 3
    assert expiry_ms(0, None) == 0
    assert expiry_ms(None, None) is None


@pytest.mark.parametrize(
    ("policy", "words"),
    [
        (_policy(max_length=-1), "-1 is not a valid maximum length"),
        (_policy(expires=0), "0 is not a valid queue expiry"),
        (_policy(queue_mode="slow"), '<<"slow">> is not a valid queue-mode value'),
        (_policy(overflow=True), "true is not a valid overflow value"),
        (_policy(no_such=1), '[{<<"no-such">>,1}] are not recognised policy settings'),
        (_policy(ha_mode="most"), '<<"most">> is not a valid ha-mode value'),
        (_policy(ha_sync_mode="automatic"), "ha-mode must be specified"),
        (_policy(), "no policy provided"),
        (_policy(apply_to="nobody", max_length=1), "apply-to 'nobody' unrecognised"),
        (_policy(pattern="(", max_length=1), "should be regular expression but is invalid"),
    ],
)
def test_refused_in_the_brokers_words(policy, words):
    with pytest.raises(PolicyRefused) as caught:
        checked(policy)
    assert words in str(caught.value)


@pytest.mark.parametrize(
    ("pattern", "name", "fits"),
    [
        ("^orders$", "orders", True),
        ("^orders$", "orders2", False),
        ("rder", "orders", True),
        ("", "anything", True),
        ("^(a|b)-[0-9]{2,3}$", "b-123", True),
        ("^(a|b)-[0-9]{2,3}$", "b-1", False),
        ("^(?!amq\\.).*", "amq.x", False),
        ("^(?!amq\\.).*", "orders", True),
        ("^[^-]+-\\w+\\d$", "or-d_1", True),
        ("a{x}", "a{x}", True),
        ("^(?:ab)*?$", "abab", True),
    ],
)
def test_patterns(pattern, name, fits):
    assert found_in(pattern, name) is fits


@pytest.mark.parametrize(
    "pattern",
    [
        "(",
        ")",
        "[",
        "*a",
        "a**",
        "\\",
        "(?<=a)b",
        "a{9999}",
        "[b-a]",
        "a" * 200,
        "(" * (MAX_DEPTH + 1) + ")" * (MAX_DEPTH + 1),
    ],
)
def test_pattern_that_cannot_be_understood(pattern):
    with pytest.raises((PatternInvalid, PatternRefused)):
        found_in(pattern, "a")


@pytest.mark.parametrize(
    ("pattern", "pcre", "pcre2"),
    [
        ("(", ("missing )", 1), ("missing closing parenthesis", 1)),
        ("ab(cd", ("missing )", 5), ("missing closing parenthesis", 5)),
        ("a(?:b", ("missing )", 5), ("missing closing parenthesis", 5)),
        (")", ("unmatched parentheses", 0), ("unmatched closing parenthesis", 1)),
        ("a)", ("unmatched parentheses", 1), ("unmatched closing parenthesis", 2)),
        ("*", ("nothing to repeat", 0), ("quantifier does not follow a repeatable item", 1)),
        ("x|*", ("nothing to repeat", 2), ("quantifier does not follow a repeatable item", 3)),
        ("(|*)", ("nothing to repeat", 2), ("quantifier does not follow a repeatable item", 3)),
        ("a**", ("nothing to repeat", 2), ("quantifier does not follow a repeatable item", 3)),
        ("a+*", ("nothing to repeat", 2), ("quantifier does not follow a repeatable item", 3)),
        ("[b-a]", ("range out of order in character class", 3), ("range out of order in character class", 4)),
        (
            "[z-b-a]",
            ("range out of order in character class", 3),
            ("range out of order in character class", 4),
        ),
        ("x[a-", *2 * [("missing terminating ] for character class", 4)]),
        ("[^]", *2 * [("missing terminating ] for character class", 3)]),
        ("[\\", *2 * [("\\ at end of pattern", 2)]),
        ("ab\\", *2 * [("\\ at end of pattern", 3)]),
    ],
)
def test_a_bad_pattern_is_refused_in_the_words_of_the_release(pattern, pcre, pcre2):
    """W232, as `re:compile/1` of the nodes' own Erlang says it: OTP 25 and 27, and OTP 29 of 4.3.6."""
    with pytest.raises(PatternInvalid) as caught:
        compiled(pattern)
    assert (caught.value.said(pcre2=False), caught.value.said(pcre2=True)) == (pcre, pcre2)


@pytest.mark.parametrize(
    ("pattern", "code", "values"),
    [
        ("a" * 129, "pattern_too_long", {"most": 128}),
        ("a*+", "pattern_repeats_twice", {"at": 3}),
        ("[a-\\d]", "pattern_escape_unknown", {"at": 3, "found": "-\\d"}),
        ("a{65}", "pattern_repeats_too_often", {"at": 2, "most": 64}),
        ("a{3,2}", "pattern_repeats_too_often", {"at": 2, "most": 64}),
        ("b(?<=a)", "pattern_group_unknown", {"at": 2}),
        ("(" * 9 + ")" * 9, "pattern_too_deep", {"at": 9, "most": MAX_DEPTH}),
        ("a\\b", "pattern_escape_unknown", {"at": 2, "found": "\\b"}),
        ("((a{64}){64}){9}", "pattern_too_costly", {"letters": 255, "most": MAX_STEPS}),
    ],
)
def test_what_only_this_engine_does_not_understand_is_not_answered_in_the_brokers_name(pattern, code, values):
    with pytest.raises(PolicyRefused) as caught:
        checked(_policy(pattern=pattern, max_length=1))
    assert (caught.value.code, caught.value.values) == (code, values)
    assert "should be regular expression" not in str(caught.value)


def test_the_argument_says_the_version_before_the_policy_does():
    """W2."""
    policy = checked(_policy(queue_version=2))
    assert effective({}, policy).queue_version == 2
    assert effective({"x-queue-version": 1}, policy).queue_version == 1
    assert effective({}, None).queue_version is None
