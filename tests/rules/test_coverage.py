"""Every rule that concerns the engine is cited by a test, and every rule that a transition carries exists."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

from tests.rules import coverage


@pytest.fixture(scope="module")
def defined() -> list[str]:
    return coverage.defined()


def test_the_specification_is_read_whole(defined: list[str]) -> None:
    counts = {letter: sum(rule[0] == letter for rule in defined) for letter in coverage.LETTERS}
    assert counts == {
        "Q": 65,
        "P": 22,
        "K": 10,
        "M": 12,
        "A": 6,
        "F": 8,
        "D": 16,
        "S": 148,
        "H": 90,
        "W": 137,
        "V": 10,
    }


def test_every_rule_is_classified_once(defined: list[str]) -> None:
    text = (Path(coverage.__file__).parent / "engine_rules.toml").read_text(encoding="utf-8")
    sections = tomllib.loads(text)
    assert tuple(sections) == coverage.KINDS
    lines = [*sections["engine"]["rules"], *(key for kind in coverage.KINDS[1:] for key in sections[kind])]
    named = [rule for line in lines for rule in coverage.rules_in(line) if rule in set(defined)]
    assert sorted(named) == sorted(set(named)), "a rule is named twice"
    assert set(defined) <= set(named), f"not classified: {sorted(set(defined) - set(named))}"
    assert all(len(why) > 20 for kind in coverage.KINDS[2:] for why in sections[kind].values())


def test_every_rule_of_the_engine_has_a_test(defined: list[str], repo_root: Path) -> None:
    kinds = coverage.classified()
    cited = coverage.cited(repo_root / "tests")
    missing = [rule for rule in defined if kinds[rule].kind in ("engine", "process") and rule not in cited]
    assert not missing, f"no test cites {', '.join(missing)}"


def test_every_rule_that_a_transition_carries_exists_and_has_a_test(
    defined: list[str], repo_root: Path
) -> None:
    carried = coverage.on_transitions(repo_root / "engine")
    cited = coverage.cited(repo_root / "tests")
    assert len(carried) > 60
    assert not sorted(set(carried) - set(defined))
    assert not {rule: places for rule, places in sorted(carried.items()) if rule not in cited}


def test_every_rule_that_a_test_cites_exists(defined: list[str], repo_root: Path) -> None:
    unknown = {
        rule: places
        for rule, places in coverage.cited(repo_root / "tests").items()
        if rule not in set(defined)
    }
    assert not unknown


@pytest.mark.parametrize(
    ("text", "rules"),
    [
        ("S63.2 and Q1, but not SQ1 or S0", ["S63", "Q1"]),
        ("K3-K5", ["K3", "K4", "K5"]),
        ("queue.md section 25", []),
    ],
)
def test_rules_in_a_text(text: str, rules: list[str]) -> None:
    assert list(coverage.rules_in(text)) == rules
