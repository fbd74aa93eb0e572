"""The concept inventory: an item for each subject in two parallel forms. An item is an exercise in one of its cases."""

from __future__ import annotations

import tomllib
from functools import cache
from typing import Final, Literal

import msgspec

from playground.exercises import catalog
from playground.exercises.schema import Id

Form = Literal["before", "after"]
FORMS: Final[tuple[Form, ...]] = ("before", "after")


class InventoryItem(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The item of a subject.

    Args:
        subject: its number.
        exercise: the name of the exercise that asks about it.
        other: the case of one of the forms, the other has the file's own; None where the forms differ in numbers.
    """

    subject: int
    exercise: Id
    other: Id | None = None

    def seed(self, form: Form) -> int:
        """Return the seed of the variant that a form asks: with other numbers than the exercise, and the other form."""
        cases = catalog.exercise(self.exercise).cases
        has_own = (self.subject % 2 == 1) == (form == "before")
        case = 0 if has_own or self.other is None else cases.index(self.other) + 1
        return (1 + FORMS.index(form)) * (len(cases) + 1) + case


@cache
def items() -> tuple[InventoryItem, ...]:
    """Return the items in the order of the subjects."""
    plain = tomllib.loads((catalog.FOLDER / "inventory.toml").read_text("utf-8"))
    return msgspec.convert(plain["items"], tuple[InventoryItem, ...])
