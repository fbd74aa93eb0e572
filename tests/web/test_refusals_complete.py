"""Every code with which the engine refuses has a text in three languages, and every refusal has a code."""

from __future__ import annotations

import ast
import pickle
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from django.utils import translation

from engine.errors import (
    CommandError,
    FileMissing,
    IndexCorrupt,
    PathRefused,
    Refusal,
    RunTooLong,
    ScenarioError,
    StorageFull,
    StoreCorrupt,
)
from engine.refusals import ENGLISH
from playground.hosting.refusals import TEXTS, message_of

ENGINE = Path(__file__).resolve().parents[2] / "engine"
REFUSALS = {"CommandError", "IndexCorrupt", "PathRefused", "ScenarioError", "StoreCorrupt"}
AS_THEY_ARE = {"broker_refuses", "invalid"}
"""Codes whose words are shown as they are: of the broker, and rare ones of the validator."""
PLACES = re.compile(r"%\((\w+)\)s")


def test_the_codes_are_the_engines() -> None:
    assert list(TEXTS) == list(ENGLISH)


@pytest.mark.parametrize("code", ENGLISH)
def test_a_code_has_a_text_in_three_languages(code: str) -> None:
    english = str(TEXTS[code])
    assert set(PLACES.findall(english)) <= set(PLACES.findall(ENGLISH[code])), (
        "a place that the engine does not fill"
    )
    for language in ("zh-hans", "zh-hant"):
        with translation.override(language):
            text = str(TEXTS[code])
        assert set(PLACES.findall(text)) == set(PLACES.findall(english))
        assert (text != english) or code in AS_THEY_ARE, f"{code} has no words in {language}"


def raised() -> Iterator[tuple[str, ast.Call]]:
    """Yield where each refusal is made."""
    for path in sorted(ENGINE.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_bytes())):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in REFUSALS:
                yield f"{path.relative_to(ENGINE)}:{node.lineno}", node


@pytest.mark.parametrize(
    ("place", "call"), list(raised()), ids=lambda each: each if isinstance(each, str) else ""
)
def test_a_refusal_has_a_code_and_all_its_parameters(place: str, call: ast.Call) -> None:
    code = call.args[0]
    if isinstance(code, ast.Name):  # one of two, chosen a line before: the web tests give both
        return
    assert isinstance(code, ast.Constant), place
    assert code.value in ENGLISH, f"{place}: {code.value!r} is no code"
    assert {each.arg for each in call.keywords} == set(PLACES.findall(ENGLISH[str(code.value)])), place


def test_every_code_is_raised_somewhere() -> None:
    source = "\n".join(path.read_text() for path in ENGINE.rglob("*.py") if path.name != "refusals.py")
    assert [code for code in ENGLISH if f'"{code}"' not in source] == []


def test_a_refusal_stays_what_it_is_on_its_way_to_another_process() -> None:
    error = CommandError("too_small", place="publish: count", least=1).inside("commands[3]: ", ScenarioError)
    again = pickle.loads(pickle.dumps(error))
    assert isinstance(again, ScenarioError)
    assert str(again) == str(error) == "commands[3]: publish: count must be at least 1"
    assert (again.code, again.values) == ("too_small", {"place": "commands[3]: publish: count", "least": 1})


def test_what_stands_in_front_is_kept_where_no_place_takes_it() -> None:
    error = CommandError("name_reserved", "remove: ", name="hand").inside("commands[0]: ", ScenarioError)
    assert str(error) == "commands[0]: remove: the name hand is taken by the node itself; choose another"
    assert isinstance(error, Refusal)


def test_a_told_refusal_carries_its_code() -> None:
    message = message_of(CommandError("no_queue", name="x", known="orders"))
    assert (message.code, message.values) == ("no_queue", {"name": "x", "known": "orders"})
    assert str(message) == "There is no queue called x."


@pytest.mark.parametrize(
    "failure",
    [
        IndexCorrupt("stray_byte", at=5),
        FileMissing("x"),
        PathRefused("path_not_plain", path="'../x'"),
        RunTooLong("time", None),
        StorageFull("x", 10, 5),
        StoreCorrupt("record_too_small", size=5, at=7),
    ],
    ids=lambda each: type(each).__name__,
)
def test_what_fails_under_a_run_has_a_code_and_all_its_parameters(failure: Refusal) -> None:
    assert set(failure.values) == set(PLACES.findall(ENGLISH[failure.code]))
    again = pickle.loads(pickle.dumps(failure))
    assert (type(again), str(again), again.values) == (type(failure), str(failure), failure.values)
    assert message_of(failure).code == failure.code
