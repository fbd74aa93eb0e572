"""A pattern means what it means elsewhere, and what it costs is known before a name is seen."""

from __future__ import annotations

import re
import sys
from types import FrameType
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.amqp.patterns import MAX_NAME, MAX_STEPS, PatternRefused, compiled, found_in
from engine.broker.commands import commands, scenario
from engine.values.errors import CommandError, ScenarioError

ATOM = st.sampled_from(["a", "b", ".", "[ab]", "[^a]", "^", "$"])
REPEATS = ["*", "+", "?", "{2}", "{1,3}", "{0,4}", "{2,}", "{0}", "+?", "{1,3}?"]


def _patterns(leaves: int) -> st.SearchStrategy[str]:
    return st.recursive(
        ATOM,
        lambda inner: st.one_of(
            st.lists(inner, max_size=3).map("".join),
            st.tuples(inner, inner).map(lambda two: f"({two[0]}|{two[1]})"),
            st.tuples(inner, st.sampled_from(REPEATS)).map("(?:{0[0]}){0[1]}".format),
            st.tuples(ATOM.filter(lambda a: a not in "^$"), st.sampled_from(REPEATS)).map("".join),
            inner.map("(?={})".format),
            inner.map("(?!{})".format),
        ),
        max_leaves=leaves,
    )


def _steps(pattern: str, name: str) -> int:
    """Return how many questions the parts of a pattern are asked for a name."""
    found_in.cache_clear()
    part, asked = compiled(pattern), 0

    def count(frame: FrameType, event: str, _: Any) -> None:
        nonlocal asked
        asked += event == "call" and frame.f_code.co_name == "starts"

    before = sys.getprofile()
    sys.setprofile(count)
    try:
        found_in(pattern, name)
    finally:
        sys.setprofile(before)
    assert asked <= part.cost.steps(len(name)), "no more than was said"
    return asked


def _compiles(pattern: str) -> bool:
    try:
        compiled(pattern)
    except PatternRefused:  # deeper than is understood here
        return False
    return True


@settings(max_examples=1000, deadline=None)
@given(_patterns(6), st.text("abc", max_size=8))
def test_patterns_mean_what_they_mean_elsewhere(pattern: str, text: str) -> None:
    if _compiles(pattern):
        assert found_in(pattern, text) is (re.search(pattern, text) is not None)


@settings(max_examples=300, deadline=None)
@given(_patterns(12), st.lists(st.sampled_from(["a", "b", "ab", "aab", "c"]), min_size=1, max_size=4))
def test_steps_grow_with_the_name_and_not_with_its_powers(pattern: str, piece: list[str]) -> None:
    """At most so many for each letter as the pattern alone says, which was bounded before."""
    if _compiles(pattern):
        assert compiled(pattern).cost.steps() <= MAX_STEPS
        for letters in (31, 63, 127, MAX_NAME):
            _steps(pattern, ("".join(piece) * MAX_NAME)[:letters])


@pytest.mark.parametrize("depth", range(1, 8))
def test_a_lookahead_in_a_lookahead_costs_as_much_as_beside_it(depth: int) -> None:
    """Each place was asked anew, for each place that was asked: 255 to the power of twice the depth."""
    pattern = "(?=.*" * depth + "x" + ")" * depth
    assert _steps(pattern, "a" * MAX_NAME) < 20 * depth
    assert _steps(pattern, "a" * (MAX_NAME - 1) + "x") < 2 * MAX_NAME + 20 * depth


@pytest.mark.parametrize(
    ("pattern", "fits"),
    [
        ("^(((((((a*)*)*)*)*)*)*)*b$", False),
        ("^(?:a|x(?:a|x(?:a|xa*)*)*)*$", True),
        ("^((((((a|b)+)+)+)+)+)+x", False),
        ("^((a?){64}){64}b$", False),
        ("^([a-z0-9-]{1,63}\\.)*[a-z]{2,63}$", False),
        ("^(?!(?!(?!(?!.*a.*a.*b))))", False),
    ],
)
def test_a_pattern_made_to_hang_does_not(pattern: str, fits: bool) -> None:
    name = "a" * MAX_NAME
    assert found_in(pattern, name) is fits
    assert _steps(pattern, name) <= 10_000


@pytest.mark.parametrize(
    "pattern", ["((a{64}){64}){64}", "((((((a?){64}){64}){64}){64}){64})b", "(?:([a-z]{64})*b){9}"]
)
def test_a_pattern_that_could_cost_too_much_is_refused_before_anything_is_matched(pattern: str) -> None:
    policy = {"name": "p", "pattern": pattern, "definition": {"max-length": 1}}
    command = {"do": "set_policy", **policy}
    whole = {"version": 1, "profile": "classroom"}
    with pytest.raises(CommandError) as refused:
        commands.parse(command)
    assert refused.value.code == "pattern_too_costly"
    with pytest.raises(ScenarioError) as refused_inside:
        scenario.parse({**whole, "commands": [{"at_us": 0, **command}]})
    assert str(refused_inside.value).startswith("commands[0]: set_policy: a name of 255 letters could cost")
    with pytest.raises(ScenarioError) as refused_topology:
        scenario.parse({**whole, "topology": {"policies": [policy]}})
    assert "a name of 255 letters could cost" in str(refused_topology.value)


def test_what_people_write_is_far_from_the_bound() -> None:
    for pattern in (
        r"^ha\.",
        r"^(?!amq\.).*",
        r"^([a-z0-9-]{1,63}\.){1,8}dlq$",
        r"^(?:(?!retry).)*$",
        "(a|b)+(c|d)+",
    ):
        assert compiled(pattern).cost.steps() < MAX_STEPS / 8
