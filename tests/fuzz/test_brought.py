"""Whatever people bring, however damaged: each piece of it is in the answer or in the list of what was left out."""

from __future__ import annotations

import json
from collections.abc import Callable
from random import Random
from typing import Any, Final

import msgspec
import pytest

from engine.ctl.console import ask
from playground.inspecting import reading
from playground.inspecting.uploads import UnreadableInput
from tests.ctl.played import made_state
from tests.fuzz import brought
from workloads.errors import WorkloadError
from workloads.imports import READERS, Options

RUNS: Final = 40
SOAK_RUNS: Final = 4_000


def definitions(chance: Random) -> None:
    given, marks = brought.definitions(chance)
    _has(json.dumps(reading.topology(json.dumps(given).encode()), ensure_ascii=False), marks)


def listing(chance: Random) -> None:
    given, marks = brought.listing(chance)
    _has(json.dumps(reading.listing(given), ensure_ascii=False), marks)


def configuration(chance: Random) -> None:
    given, marks = brought.configuration(chance)
    _has(json.dumps(reading.listing(given), ensure_ascii=False), marks)


def perf_test(chance: Random) -> None:
    given, marks = brought.perf_test(chance)
    try:
        imported = READERS["perf-test"]([given], Options())
    except WorkloadError as refused:
        words = str(refused)
    else:
        _has(" ".join(map(str, imported.remarks)) + msgspec.json.encode(imported.scenario).decode(), marks)
        return
    assert any(mark in words for mark in marks), f"{given}: {words}"


def console(chance: Random) -> None:
    state = made_state()
    for line, mark in brought.console_lines(chance):
        answer = ask(line, state, 0)
        assert answer.text or answer.code == 0
        assert mark is None or answer.code, f"what nobody knows was passed over: {line}: {answer}"


def _has(answer: str, marks: list[str]) -> None:
    missing = [mark for mark in marks if mark not in answer]
    assert not missing, f"{missing} of {marks} are dropped in silence: {answer}"


PARSERS: Final[tuple[Callable[[Random], Any], ...]] = (
    definitions,
    listing,
    configuration,
    perf_test,
    console,
)


def throw(parser: Callable[[Random], Any], seeds: range) -> None:
    for seed in seeds:
        try:
            parser(Random(seed))
        except UnreadableInput:
            pass
        except Exception as error:
            error.add_note(f"seed {seed}")
            raise


@pytest.mark.parametrize("parser", PARSERS)
def test_nothing_is_dropped_in_silence(parser: Callable[[Random], Any]) -> None:
    throw(parser, range(RUNS))


@pytest.mark.soak
@pytest.mark.parametrize("parser", PARSERS)
def test_nothing_is_dropped_in_silence_however_often(parser: Callable[[Random], Any]) -> None:
    throw(parser, range(RUNS, SOAK_RUNS))
