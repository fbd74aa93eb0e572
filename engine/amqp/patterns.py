"""Regular expressions for names, matched in a number of steps linear in the name.

A policy's pattern is found anywhere in a name. The common part of PCRE is understood: literals, `.`, classes, `^`, `$`,
groups, `|`, `*`, `+`, `?`, `{n,m}` and the lookaheads `(?=...)` and `(?!...)`. Parts of a pattern work backwards: from
all places where a part may end, it computes all places from which it leads there. So a lookahead is computed once for
all places of a name, and nested repeats reuse what they have reached. The largest number of steps is known when the
pattern is read; a pattern that could exceed `MAX_STEPS` is refused before anything is matched.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Final, NamedTuple

from engine.values.errors import EngineError, Refusal, ValueRefused

MAX_PATTERN: Final = 128
MAX_REPEAT: Final = 64
MAX_DEPTH: Final = 8
"""Most levels of nested groups."""
MAX_NAME: Final = 255
"""Most letters of a name, as in AMQP's short strings."""
MAX_STEPS: Final = 32_768
"""Most steps for the longest name; each takes less than a microsecond."""

Places = int
"""A set of places in a name, as the bits of a number; place 0 is before the first letter."""
Fits = Callable[[str], bool]

_CLASSES: Final[dict[str, Fits]] = {
    "d": lambda c: c.isascii() and c.isdigit(),
    "w": lambda c: c.isascii() and (c.isalnum() or c == "_"),
    "s": str.isspace,
}


class PatternRefused(Refusal):
    """A pattern that this engine does not support, though a broker may; `at` is the character, from 1."""


class PatternInvalid(EngineError):
    """A text is not a valid pattern; the message names the reason and the place. `why`: in the words of PCRE,
    which brokers up to 4.0 use. `at`: the character at which reading stopped, from 0.
    """

    def __init__(self, why: str, at: int) -> None:
        super().__init__(f"{why} at character {at}")
        self.why = why
        self.at = at

    def said(self, pcre2: bool) -> tuple[str, int]:
        """Return the reason and the place in the words of a broker with PCRE or with PCRE2 (W232)."""
        words, further = _OF_PCRE2.get(self.why, (self.why, 0)) if pcre2 else (self.why, 0)
        return words, self.at + further


_OF_PCRE2: Final = {
    "missing )": ("missing closing parenthesis", 0),
    "unmatched parentheses": ("unmatched closing parenthesis", 1),
    "nothing to repeat": ("quantifier does not follow a repeatable item", 1),
    "range out of order in character class": ("range out of order in character class", 1),
}
"""PCRE2's different messages, and how many characters later it stops; its other messages are the same."""


class PatternCost(NamedTuple):
    """The most steps of a part, one for each evaluation of it or of a part inside it. `once`: steps for a
    whole name, however often it is evaluated.
    """

    asked: int = 1
    once: int = 0
    place: int = 0

    def steps(self, letters: int = MAX_NAME) -> int:
        return self.asked + self.once + self.place * (letters + 1)


class _Name:
    """A name to search for a pattern, with the cached results of the pattern's parts."""

    def __init__(self, text: str) -> None:
        self.all: Places = (1 << len(text) + 1) - 1
        self.end: Places = 1 << len(text)
        self.found: dict[PatternPart, Places] = {}
        self._letters: dict[str, Places] = {}
        for place, letter in enumerate(text):
            self._letters[letter] = self._letters.get(letter, 0) | 1 << place

    def fitting(self, fits: Fits) -> Places:
        return sum(places for letter, places in self._letters.items() if fits(letter))


class PatternPart:
    """A part of a pattern, such as a letter, a group or a repeat."""

    cost = PatternCost()

    def starts(self, name: _Name, ends: Places) -> Places:
        """Return the places from which this part leads to one of `ends`."""
        raise NotImplementedError

    def again(self) -> PatternPart:
        """Return a copy for another place in the pattern, so that its endless repeats cache separately."""
        return self


class _Letter(PatternPart):
    def __init__(self, fits: Fits) -> None:
        self._fits = fits

    def starts(self, name: _Name, ends: Places) -> Places:
        if self not in name.found:
            name.found[self] = name.fitting(self._fits)
        return ends >> 1 & name.found[self]


class _Begin(PatternPart):
    def starts(self, name: _Name, ends: Places) -> Places:
        return ends & 1


class _End(PatternPart):
    def starts(self, name: _Name, ends: Places) -> Places:
        return ends & name.end


class _Several(PatternPart):
    """A part that evaluates each of its parts once."""

    def __init__(self, parts: Sequence[PatternPart]) -> None:
        self._parts = parts
        self.cost = PatternCost(*map(sum, zip((1, 0, 0), *(each.cost for each in parts), strict=True)))

    def again(self) -> PatternPart:
        return type(self)([part.again() for part in self._parts])


class _Row(_Several):
    def starts(self, name: _Name, ends: Places) -> Places:
        for part in reversed(self._parts):
            ends = part.starts(name, ends)
        return ends


class _Either(_Several):
    """Alternatives."""

    def starts(self, name: _Name, ends: Places) -> Places:
        found = 0
        for part in self._parts:
            found |= part.starts(name, ends)
        return found


class _UpTo(_Several):
    """Any number of optional equal parts."""

    def starts(self, name: _Name, ends: Places) -> Places:
        found = ends
        for part in self._parts:
            found = ends | part.starts(name, found)
        return found


class _Endless(PatternPart):
    """A part any number of times, or at least once. Later evaluations only add ends, because all parts above are such
    repeats or evaluate once. So reached places stay, and each round but the last adds a place, which bounds the rounds.
    """

    def __init__(self, part: PatternPart, once: bool) -> None:
        self._part, self._once = part, once
        self.cost = PatternCost(part.cost.asked + 1, part.cost.once, part.cost.place + part.cost.asked)

    def starts(self, name: _Name, ends: Places) -> Places:
        reached = name.found.get(self, 0) | ends
        while (before := self._part.starts(name, reached)) & ~reached:
            reached |= before
        name.found[self] = reached
        return before if self._once else reached

    def again(self) -> PatternPart:
        return _Endless(self._part.again(), self._once)


class _Ahead(PatternPart):
    """A lookahead; its places are the same for every evaluation."""

    def __init__(self, part: PatternPart, wanted: bool) -> None:
        self._part, self._wanted = part, wanted
        self.cost = PatternCost(1, part.cost.once + part.cost.asked, part.cost.place)

    def starts(self, name: _Name, ends: Places) -> Places:
        if self not in name.found:
            found = self._part.starts(name, name.all)
            name.found[self] = found if self._wanted else name.all & ~found
        return ends & name.found[self]


@lru_cache(maxsize=256)
def compiled(pattern: str) -> PatternPart:
    """Return a compiled pattern. Raises PatternInvalid when it is not one, and PatternRefused when it is not
    supported here or could cost too much.
    """
    return _Reader(pattern).whole()


def check_cost(pattern: str) -> None:
    """Check what a pattern could cost, before it is used. Raises ValueRefused; other faults are reported in
    the broker's words when the pattern is set.
    """
    try:
        compiled(pattern)
    except PatternInvalid:
        return
    except PatternRefused as error:
        if error.code == "pattern_too_costly":
            raise error.inside("", ValueRefused) from error


@lru_cache(maxsize=2048)
def found_in(pattern: str, text: str) -> bool:
    name = _Name(text)
    return bool(compiled(pattern).starts(name, name.all))


class _Reader:
    """Recursive-descent parser of one pattern."""

    def __init__(self, pattern: str) -> None:
        self._text = pattern
        self._at = 0
        self._depth = 0

    def whole(self) -> PatternPart:
        if len(self._text) > MAX_PATTERN:
            raise PatternRefused("pattern_too_long", most=MAX_PATTERN)
        part = self._either()
        if self._at < len(self._text):
            raise PatternInvalid("unmatched parentheses", self._at)
        _check(part.cost)
        return part

    def _next(self) -> str:
        return self._text[self._at : self._at + 1]

    def _take(self, text: str) -> bool:
        if self._text.startswith(text, self._at):
            self._at += len(text)
            return True
        return False

    def _either(self) -> PatternPart:
        parts = [self._row()]
        while self._take("|"):
            parts.append(self._row())
        return parts[0] if len(parts) == 1 else _Either(parts)

    def _row(self) -> PatternPart:
        parts: list[PatternPart] = []
        while self._next() not in ("", "|", ")"):
            parts.append(self._quantified(self._atom()))
        return parts[0] if len(parts) == 1 else _Row(parts)

    def _quantified(self, part: PatternPart) -> PatternPart:
        if self._take("*"):
            part = _Endless(part, once=False)
        elif self._take("+"):
            part = _Endless(part, once=True)
        elif self._take("?"):
            part = _UpTo([part])
        elif self._next() == "{" and (bounds := self._bounds()) is not None:
            part = _repeated(part, *bounds)
        else:
            return part
        lazy = self._take("?")  # lazy or greedy: the same places are reached
        if self._next() == "*" or (lazy and self._next() in tuple("+?")):
            raise PatternInvalid("nothing to repeat", self._at)
        if self._next() == "+":
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

    def _atom(self) -> PatternPart:
        start = self._at
        char = self._text[start]
        self._at += 1
        if char == "(":
            return self._group(start)
        if char == "[":
            return _Letter(self._class())
        if char == "^":
            return _Begin()
        if char == "$":
            return _End()
        if char == ".":
            return _Letter(lambda c: c != "\n")
        if char in "*+?":
            raise PatternInvalid("nothing to repeat", start)
        return _Letter(self._escape(start) if char == "\\" else lambda c: c == char)

    def _group(self, start: int) -> PatternPart:
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
        return _Ahead(part, kind == "?=") if kind in ("?=", "?!") else part

    def _escape(self, start: int) -> Fits:
        char = self._next()
        if not char:
            raise PatternInvalid("\\ at end of pattern", len(self._text))
        self._at += 1
        known = _CLASSES.get(char.lower())
        if known is not None:
            return known if char.islower() else lambda c: not known(c)
        if char.isalnum():
            raise PatternRefused("pattern_escape_unknown", at=start + 1, found=f"\\{char}")
        return lambda c: c == char

    def _class(self) -> Fits:
        negated = self._take("^")
        fits: list[Fits] = []
        while not fits or self._next() != "]":
            char = self._next()
            if not char:
                raise PatternInvalid("missing terminating ] for character class", len(self._text))
            self._at += 1
            if char == "\\":
                fits.append(self._escape(self._at - 1))
            elif self._next() == "-" and self._text[self._at + 1 : self._at + 2] not in ("", "]"):
                last = self._text[self._at + 1]
                if last == "\\":
                    found = self._text[self._at : self._at + 3]
                    raise PatternRefused("pattern_escape_unknown", at=self._at + 1, found=found)
                if last < char:
                    raise PatternInvalid("range out of order in character class", self._at + 1)
                self._at += 2
                fits.append(lambda c, low=char, high=last: low <= c <= high)  # type: ignore[misc]
            else:
                fits.append(lambda c, same=char: c == same)  # type: ignore[misc]
        self._at += 1
        return lambda c: any(fit(c) for fit in fits) != negated


def _repeated(part: PatternPart, least: int, most: int | None) -> PatternPart:
    """Return a part repeated this many times. Endless repeats are copied each time, because they reach other places."""
    times = max(least, 1) if most is None else most
    _check(PatternCost(*(each * times for each in part.cost)))
    parts = [part.again() if part.cost.place else part for _ in range(times)]
    if most is None:
        return _Row([*parts[1:], _Endless(parts[0], once=least > 0)])
    return _Row([*parts[:least], _UpTo(parts[least:])])


def _check(cost: PatternCost) -> None:
    """Raise PatternRefused if a name could cost too many steps."""
    if cost.steps() > MAX_STEPS:
        raise PatternRefused("pattern_too_costly", letters=MAX_NAME, most=MAX_STEPS)
