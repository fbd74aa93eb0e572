"""A small, safe language over facts: paths, comparisons, and "at any time" or "always". Nothing is evaluated.

A condition is `[path, operator, value]`; a value that begins with `@` is another path. Conditions combine as
`{all = [...]}`, `{any = [...]}`, `{not = ...}`; `{ever = ...}` and `{always = ...}` look at the whole run. A measure is
a path, or `{most = path}`, `{least = path}`, `{sum = [...]}`, `{minus = [a, b]}`.
"""

from __future__ import annotations

import operator
import re
from collections.abc import Callable
from typing import Any

from playground.exercises.grading.facts import Facts

MAX_DEPTH = 6
PATH = re.compile(r"[a-z][a-z_]*(\.[A-Za-z0-9][A-Za-z0-9_-]*){0,4}")
OPERATORS: dict[str, Callable[[Any, Any], bool]] = {
    "==": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}


class Malformed(ValueError):
    """A condition or measure that this language does not know; the text says which."""


def value_at(facts: Facts, path: str) -> Any:
    """Return what a path leads to; None where nothing is."""
    found: Any = facts
    for name in path.split("."):
        if not isinstance(found, dict):
            return None
        found = found.get(name, 0 if path.startswith(("seen.", "moved.")) else None)
    return found


class Condition:
    """One condition, which sees every moment of a run and knows at its end whether it holds."""

    def __init__(self, form: Any, depth: int = 0) -> None:
        if depth > MAX_DEPTH:
            raise Malformed("conditions are nested too deeply")
        self.kind, self.parts = "compare", []
        if isinstance(form, list):
            self._compare(form)
        elif isinstance(form, dict) and len(form) == 1:
            ((self.kind, inner),) = form.items()
            if self.kind in {"all", "any"} and isinstance(inner, list) and inner:
                self.parts = [Condition(part, depth + 1) for part in inner]
            elif self.kind in {"not", "ever", "always"}:
                self.parts = [Condition(inner, depth + 1)]
            else:
                raise Malformed(f"{form!r} is no condition")
        else:
            raise Malformed(f"{form!r} is no condition")
        self._held = self.kind == "always"

    def _compare(self, form: list[Any]) -> None:
        if len(form) != 3 or form[1] not in OPERATORS:
            raise Malformed(f"{form!r} is no comparison")
        self.path, self.operator, self.value = _path(form[0]), form[1], form[2]
        self.other = None
        if isinstance(self.value, str) and self.value.startswith("@"):
            self.other = _path(self.value[1:])

    @property
    def looks_back(self) -> bool:
        """Whether it has to see every moment, or only the last one."""
        return self.kind in {"ever", "always"} or any(part.looks_back for part in self.parts)

    def see(self, facts: Facts) -> None:
        """Take notice of a moment."""
        for part in self.parts:
            part.see(facts)
        if self.kind == "ever":
            self._held = self._held or self.parts[0].now(facts)
        elif self.kind == "always":
            self._held = self._held and self.parts[0].now(facts)

    def now(self, facts: Facts) -> bool:
        """Tell whether the condition holds, with `facts` as the last moment."""
        if self.kind == "compare":
            return self._compares(facts)
        if self.kind in {"ever", "always"}:
            return self._held
        results = [part.now(facts) for part in self.parts]
        if self.kind == "not":
            return not results[0]
        return all(results) if self.kind == "all" else any(results)

    def _compares(self, facts: Facts) -> bool:
        left = value_at(facts, self.path)
        right = self.value if self.other is None else value_at(facts, self.other)
        if self.operator in {"==", "!="}:
            return OPERATORS[self.operator](left, right)
        if not isinstance(left, int | float) or not isinstance(right, int | float):
            return False  # nothing is larger or smaller than what is not there
        return OPERATORS[self.operator](left, right)

    def found(self, facts: Facts) -> Any:
        """Return the value that the first comparison looked at, to be shown beside what was wanted."""
        return value_at(facts, self.path) if self.kind == "compare" else self.parts[0].found(facts)


class Measure:
    """A number (or text) read from the last moment, or from all of them."""

    def __init__(self, form: Any, depth: int = 0) -> None:
        if depth > MAX_DEPTH:
            raise Malformed("measures are nested too deeply")
        self.kind, self.parts, self._extreme = "path", [], None
        if isinstance(form, str):
            self.path = _path(form)
        elif isinstance(form, dict) and len(form) == 1:
            ((self.kind, inner),) = form.items()
            if self.kind in {"most", "least"}:
                self.path = _path(inner)
            elif self.kind in {"sum", "minus"} and isinstance(inner, list) and inner:
                self.parts = [Measure(part, depth + 1) for part in inner]
            else:
                raise Malformed(f"{form!r} is no measure")
        elif isinstance(form, int) and not isinstance(form, bool):
            self.kind, self._extreme = "number", form
        else:
            raise Malformed(f"{form!r} is no measure")

    @property
    def looks_back(self) -> bool:
        """Whether it has to see every moment, or only the last one."""
        return self.kind in {"most", "least"} or any(part.looks_back for part in self.parts)

    def see(self, facts: Facts) -> None:
        """Take notice of a moment."""
        for part in self.parts:
            part.see(facts)
        if self.kind in {"most", "least"}:
            found = value_at(facts, self.path)
            if isinstance(found, int | float):
                choose = max if self.kind == "most" else min
                self._extreme = found if self._extreme is None else choose(found, self._extreme)

    def now(self, facts: Facts) -> Any:
        """Return the value, with `facts` as the last moment."""
        if self.kind == "path":
            return value_at(facts, self.path)
        if self.kind in {"most", "least", "number"}:
            return self._extreme
        values = [part.now(facts) or 0 for part in self.parts]
        return sum(values) if self.kind == "sum" else values[0] - sum(values[1:])


def _path(text: Any) -> str:
    if not isinstance(text, str) or not PATH.fullmatch(text):
        raise Malformed(f"{text!r} is no path")
    return text
