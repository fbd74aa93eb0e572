"""Learners that answer as they are stated to: by a misconception, by a way of guessing, or right."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping
from typing import Any, NamedTuple

from playground.exercises import catalog
from playground.exercises.kinds import KindProgress, grade, kind_of, solution_of
from playground.exercises.schema import Exercise
from tests.helpers.wrong_answers import wrong_answer

SEEDS = range(1, 13)
COUNTED = ("choice", "order", "several", "number")
"""Kinds whose answers are counted over the seeds."""
Z = 1.645
"""One-sided 95 %: so many deviations above the mean is what chance reaches."""


def cases(exercises: Iterable[Exercise]) -> list[Exercise]:
    """Return exercises in each of their cases, the file's own first."""
    return [catalog.variant(each.slug, seed) for each in exercises for seed in range(len(each.cases) + 1)]


def believed(exercise: Exercise, name: str) -> Any:
    """Return what a learner with a misconception answers; right where it makes no difference."""
    stated = catalog.stated()[name]
    feedback = stated.get(f"{exercise.slug}/{exercise.case}") or stated.get(exercise.slug) or ()
    right = solution_of(exercise)
    for each in feedback:
        if catalog.shown(exercise, [each]) != [name]:
            continue  # in this case the answer shows another one
        if exercise.kind == "choice":
            return each
        if exercise.kind == "several":
            return sorted({*right, each})
        for wrong in exercise.wrong:
            if wrong.feedback == each:
                return wrong_answer(exercise, wrong)
    return right


def rights(exercise: Exercise) -> Counter[str]:
    """Return how often each answer is right over twelve seeds; of a number, how often which rules decide it."""
    drawn = [catalog.variant(exercise.slug, seed) for seed in SEEDS]
    known = {
        each.case: ", ".join(each.rules) if each.kind == "number" else _joined(solution_of(each))
        for each in cases([exercise])
    }
    return Counter(known[each.case] for each in drawn)


def _joined(right: Any) -> str:
    return right if isinstance(right, str) else " + ".join(map(str, right)) or "none"


class ShownMisconception(NamedTuple):
    """What the answers of a learner with a misconception show.

    Args:
        name: of the misconception.
        by: how many cases of each exercise show it.
        others: misconceptions that the learner does not have, and seems to.
    """

    name: str
    by: dict[str, int]
    others: set[str]


def detection(name: str, asked: Iterable[Exercise]) -> ShownMisconception:
    """Let a learner with a misconception answer exercises, and return what that shows."""
    by: dict[str, int] = defaultdict(int)
    others: set[str] = set()
    for each in asked:
        found = catalog.shown(each, grade(each, believed(each, name)).feedback)
        by[each.slug] += name in found
        others |= {*found} - {name}
    return ShownMisconception(name, {slug: count for slug, count in by.items() if count}, others)


class GuessGain(NamedTuple):
    """How often a way of guessing is right.

    Args:
        asked: how often it answered.
        right: how often it was right, on average.
        chance: how often drawing an answer is right, on average.
        most: what chance alone reaches in 95 of 100 such rows of answers.
    """

    asked: int
    right: float
    chance: float
    most: float

    @property
    def gains(self) -> bool:
        """Whether it is right more often than chance explains."""
        return self.right > self.most


def gained(answers: Iterable[tuple[float, float]]) -> GuessGain:
    """Return what guesses gain, each the probability that it is right and that a drawn answer is."""
    guesses = list(answers)
    chance = sum(each for _right, each in guesses)
    deviation = math.sqrt(sum(each * (1 - each) for _right, each in guesses))
    return GuessGain(len(guesses), sum(each for each, _chance in guesses), chance, chance + Z * deviation)


def _by_length(
    pick: Callable[[Iterable[int]], int], language: str
) -> Callable[[Exercise], Mapping[str, float]]:
    def drawn(exercise: Exercise) -> Mapping[str, float]:
        words = exercise.texts(language).words
        lengths = {each.id: len(words[each.id]) for each in exercise.form.options}
        found = [name for name, length in lengths.items() if length == pick(lengths.values())]
        return dict.fromkeys(found, 1 / len(found))

    return drawn


def _at(place: int) -> Callable[[Exercise], Mapping[str, float]]:
    return lambda exercise: {exercise.form.options[place].id: 1}


WAYS: dict[str, Callable[[Exercise], Mapping[str, float]]] = {
    "the longest answer": _by_length(max, "en"),
    "the longest answer, in Chinese": _by_length(max, "zh-hans"),
    "the shortest answer": _by_length(min, "en"),
    "the shortest answer, in Chinese": _by_length(min, "zh-hans"),
    "the first of the file": _at(0),
    "the last of the file": _at(-1),
}
"""Ways to answer a question with options without a thought: each answer with its probability."""


def guesses(choices: Iterable[Exercise]) -> dict[str, GuessGain]:
    """Return what each way of guessing gains on questions of which one option is right."""
    asked = cases(choices)
    rights = {(each.slug, each.case): solution_of(each) for each in asked}
    sizes = {each.slug: len(each.form.options) for each in asked}
    found = {
        way: gained(
            (way_of(each).get(rights[each.slug, each.case], 0), 1 / sizes[each.slug]) for each in asked
        )
        for way, way_of in WAYS.items()
    }
    pairs = [
        (slug, right, after)
        for (slug, case), right in rights.items()
        for (other, next_case), after in rights.items()
        if other == slug and next_case != case
    ]
    found["what was right for somebody else"] = gained(
        (float(right == after), 1 / sizes[slug]) for slug, right, after in pairs
    )
    # After a wrong answer one of the others is drawn: right where the first was not what is right now.
    found["on the second try, not what was wrong"] = gained(
        (float(right != after) * (n - 2) / (n - 1) ** 2 + float(right == after) / (n - 1), 1 / n)
        for slug, right, after in pairs
        for n in [sizes[slug]]
    )
    return found


def idle_answer(exercise: Exercise) -> Any:
    """Return what somebody sends who changes nothing on the page of a kind without single options."""
    page = kind_of(exercise).page(exercise, exercise.texts("en"), KindProgress())
    match exercise.kind:
        case "several":
            return []
        case "number":
            return 0
        case "match":
            return {name: page["answers"][0][0] for name, _words in page["lines"]}
        case "order":
            return [name for name, _words in page["lines"]]
        case "broker":
            return [page["placed"]]
        case _:
            return {"commands": [], "until_us": exercise.scenario["until_us"]}


def idle(others: Iterable[Exercise]) -> tuple[int, int]:
    """Return how many of the cases without single options pass with nothing done, and how many there are."""
    asked = cases(others)
    return sum(grade(each, idle_answer(each)).passed for each in asked), len(asked)
