"""What a stranger made is played in the process of a job, whoever asks: an answer, a vote, a page with the solution."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import msgspec
import pytest

from playground.exercises import catalog, grading
from playground.exercises.kinds import KINDS, kind_of
from playground.exercises.schema import MADE, Exercise
from playground.jobs import BoundedJob

ENGINE = grading.on_ledger


class InAnotherProcess:
    """Does a job here, and lets the engine run only meanwhile."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.done: list[str] = []
        self._monkeypatch = monkeypatch
        monkeypatch.setattr(grading, "on_ledger", self._refuse)
        monkeypatch.setattr(BoundedJob, "carrier", self)

    def _refuse(self, *_anything: Any) -> Any:
        raise AssertionError("the engine runs in the server's own process")

    def pieces(
        self, work: BoundedJob[Any, Any], args: tuple[Any, ...], names: dict[str, Any]
    ) -> Iterator[Any]:
        self.done.append(work.name[1])
        with self._monkeypatch.context() as there:
            there.setattr(grading, "on_ledger", ENGINE)
            there.setattr(BoundedJob, "carrier", None)
            yield work.function(*args, **names)


def _first(kind: str) -> Exercise:
    return next(each for each in catalog.exercises().values() if kind_of(each).name == kind)


@pytest.mark.parametrize("kind", [name for name in KINDS if name != "reach"])
def test_what_somebody_made_is_played_apart(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    made = msgspec.structs.replace(_first(kind), unit=MADE)
    expected = kind_of(made).solution(_first(kind))
    elsewhere = InAnotherProcess(monkeypatch)
    assert kind_of(made).solution(made) == expected
    assert kind_of(made).grade(made, expected, lambda: False).passed
    assert kind_of(made).solution_lines(made, made.texts("en"))
    assert elsewhere.done == ["ask_apart"], "and one run answers all"
