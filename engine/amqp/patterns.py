"""Regular expressions for names, matched in polynomial time: a stranger's pattern cannot make the engine hang.

A policy's pattern is found anywhere in a name. The common part of PCRE is understood: literals, `.`, classes, `^`, `$`,
groups, `|`, `*`, `+`, `?`, `{n,m}` and the lookaheads `(?=...)` and `(?!...)`. Each part of a pattern maps the places
where it may begin to the places where it may end; so nothing is ever tried twice.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Final

from engine.values.errors import EngineError, Refusal

MAX_PATTERN: Final = 128
MAX_REPEAT: Final = 64
MAX_DEPTH: Final = 8
"""Groups inside groups; each level may double the work."""

Places = frozenset[int]
Part = Callable[[str, Places], Places]

_CLASSES: Final[dict[str, Callable[[str], bool]]] = {
    "d": lambda c: c.isascii() and c.isdigit(),
    "w": lambda c: c.isascii() and (c.isalnum() or c == "_"),
    "s": str.isspace,
}


class PatternRefused(Refusal):
    """A pattern is more than this engine understands, though a broker may; `at` is the character, from 1."""


class PatternInvalid(EngineError):
    """A text is no pattern; the message names the reason and the place.

    Args:
        why: in the words of PCRE, which the broker reads patterns with.
        at: the character at which reading stopped, from 0.
    """

    def __init__(self, why: str, at: int) -> None:
        super().__init__(f"{why} at character {at}")
        self.why = why
        self.at = at


@lru_cache(maxsize=256)
def compiled(pattern: str) -> Part:
    """Return a pattern as a function on places.

    Raises PatternInvalid when it is none, and PatternRefused when it is not understood here.
    """
    return _Reader(pattern).whole()


def found_in(pattern: str, text: str) -> bool:
    """Return whether a pattern fits anywhere in a text."""
    return bool(compiled(pattern)(text, frozenset(range(len(text) + 1))))


def _one(fits: Callable[[str], bool]) -> Part:
    return lambda text, places: frozenset(p + 1 for p in places if p < len(text) and fits(text[p]))


def _sequence(parts: list[Part]) -> Part:
    def run(text: str, places: Places) -> Places:
        for part in parts:
            places = part(text, places)
        return places

    return run


def _either(parts: list[Part]) -> Part:
    return lambda text, places: frozenset().union(*(part(text, places) for part in parts))


def _repeated(part: Part, least: int, most: int | None) -> Part:
    def run(text: str, places: Places) -> Places:
        for _ in range(least):
            before, places = places, part(text, places)
            if places == before:
                break
        ends, new = places, places
        rounds = len(text) + 1 if most is None else most - least
        while new and rounds:
            new = part(text, new) - ends
            ends |= new
            rounds -= 1
        return ends

    return run


def _ahead(part: Part, wanted: bool) -> Part:
    return lambda text, places: frozenset(p for p in places if bool(part(text, frozenset({p}))) == wanted)


class _Reader:
    """Recursive descent over one pattern."""

    def __init__(self, pattern: str) -> None:
        self._text = pattern
        self._at = 0
        self._depth = 0

    def whole(self) -> Part:
        if len(self._text) > MAX_PATTERN:
            raise PatternRefused("pattern_too_long", most=MAX_PATTERN)
        part = self._either()
        if self._at < len(self._text):
            raise PatternInvalid("unmatched closing parenthesis", self._at)
        return part

    def _next(self) -> str:
        return self._text[self._at : self._at + 1]

    def _take(self, text: str) -> bool:
        if self._text.startswith(text, self._at):
            self._at += len(text)
            return True
        return False

    def _either(self) -> Part:
        parts = [self._sequence()]
        while self._take("|"):
            parts.append(self._sequence())
        return parts[0] if len(parts) == 1 else _either(parts)

    def _sequence(self) -> Part:
        parts: list[Part] = []
        while self._next() not in ("", "|", ")"):
            parts.append(self._quantified(self._atom()))
        return _sequence(parts)

    def _quantified(self, part: Part) -> Part:
        if self._take("*"):
            part = _repeated(part, 0, None)
        elif self._take("+"):
            part = _repeated(part, 1, None)
        elif self._take("?"):
            part = _repeated(part, 0, 1)
        elif self._next() == "{" and (bounds := self._bounds()) is not None:
            part = _repeated(part, *bounds)
        else:
            return part
        self._take("?")  # lazy or greedy: the same places are reached
        if self._next() in tuple("*+"):
            raise PatternRefused("pattern_repeats_twice", at=self._at + 1)
        return part

    def _bounds(self) -> tuple[int, int | None] | None:
        end = self._text.find("}", self._at)
        least, comma, most = self._text[self._at + 1 : end].partition(",") if end > 0 else ("", "", "")
        if not least.isdecimal() or (most and not most.isdecimal()):
            return None  # PCRE takes such a brace as itself
        low = int(least)
        high = int(most) if most else None if comma else low
        if low > MAX_REPEAT or (high is not None and not low <= high <= MAX_REPEAT):
            raise PatternRefused("pattern_repeats_too_often", at=self._at + 1, most=MAX_REPEAT)
        self._at = end + 1
        return low, high

    def _atom(self) -> Part:
        start = self._at
        char = self._text[start]
        self._at += 1
        if char == "(":
            return self._group(start)
        if char == "[":
            return _one(self._class(start))
        if char == "^":
            return lambda _, places: places & {0}
        if char == "$":
            return lambda text, places: places & {len(text)}
        if char == ".":
            return _one(lambda c: c != "\n")
        if char in "*+?":
            raise PatternInvalid("nothing to repeat", start)
        return _one(self._escape(start)) if char == "\\" else _one(lambda c: c == char)

    def _group(self, start: int) -> Part:
        kind = next((each for each in ("?:", "?=", "?!") if self._take(each)), "")
        if not kind and self._next() == "?":
            raise PatternRefused("pattern_group_unknown", at=start + 1)
        self._depth += 1
        if self._depth > MAX_DEPTH:
            raise PatternRefused("pattern_too_deep", at=start + 1, most=MAX_DEPTH)
        part = self._either()
        self._depth -= 1
        if not self._take(")"):
            raise PatternInvalid("missing )", len(self._text))
        return _ahead(part, kind == "?=") if kind in ("?=", "?!") else part

    def _escape(self, start: int) -> Callable[[str], bool]:
        char = self._next()
        if not char:
            raise PatternInvalid("\\ at end of pattern", start)
        self._at += 1
        known = _CLASSES.get(char.lower())
        if known is not None:
            return known if char.islower() else lambda c: not known(c)
        if char.isalnum():
            raise PatternRefused("pattern_escape_unknown", at=start + 1, found=f"\\{char}")
        return lambda c: c == char

    def _class(self, start: int) -> Callable[[str], bool]:
        negated = self._take("^")
        fits: list[Callable[[str], bool]] = []
        while not fits or self._next() != "]":
            char = self._next()
            if not char:
                raise PatternInvalid("missing terminating ] for character class", len(self._text))
            self._at += 1
            if char == "\\":
                fits.append(self._escape(self._at - 1))
            elif self._next() == "-" and self._text[self._at + 1 : self._at + 2] not in ("", "]"):
                last = self._text[self._at + 1]
                if last < char:
                    raise PatternInvalid("range out of order in character class", start)
                self._at += 2
                fits.append(lambda c, low=char, high=last: low <= c <= high)  # type: ignore[misc]
            else:
                fits.append(lambda c, same=char: c == same)  # type: ignore[misc]
        self._at += 1
        return lambda c: any(fit(c) for fit in fits) != negated
