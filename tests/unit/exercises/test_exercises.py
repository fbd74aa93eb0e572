"""Every exercise: its solution passes, three wrong answers fail with the feedback that is meant, in three languages."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from engine.reading.conditions import ConditionWatch
from playground.exercises import catalog
from playground.exercises.grading import GradedRun
from playground.exercises.kinds import KINDS, KindProgress, grade, kind_of, solution_of
from playground.exercises.schema import Exercise, ExerciseTexts, UnitTexts, WrongAnswer
from tests.helpers.wrong_answers import wrong_answer
from tests.web.test_translations import MAINLAND, SIMPLIFIED, TRADITIONAL

EXERCISES = list(catalog.exercises().values())
WRONG = [(each, wrong) for each in EXERCISES for wrong in each.wrong]
LANGUAGES = ("en", "zh-hans", "zh-hant")


def name(each: Exercise) -> str:
    return each.slug


def test_each_unit_is_three_quarters_of_an_hour() -> None:
    assert len(catalog.units()) >= 12
    assert len(EXERCISES) >= 54
    for unit in catalog.units():
        assert 25 <= sum(each.minutes for each in catalog.of_unit(unit.slug)) <= 45, unit.slug
    assert {each.kind for each in EXERCISES} == KINDS.keys()
    assert len(list(catalog.FOLDER.glob("*/*.toml"))) == len(EXERCISES) + len(catalog.units())


@pytest.mark.parametrize("exercise", EXERCISES, ids=name)
def test_the_solution_passes(exercise: Exercise) -> None:
    verdict = grade(exercise, solution_of(exercise))
    assert verdict.passed
    assert verdict.feedback == ()
    assert grade(exercise, solution_of(exercise)) == verdict, "grading is not deterministic"


@pytest.mark.parametrize(("exercise", "wrong"), WRONG, ids=lambda each: getattr(each, "slug", ""))
def test_a_wrong_answer_fails_with_its_feedback(exercise: Exercise, wrong: WrongAnswer) -> None:
    verdict = grade(exercise, wrong_answer(exercise, wrong))
    assert not verdict.passed
    assert verdict.feedback[0] == wrong.feedback
    assert any(line.right is False for line in verdict.lines) or exercise.kind == "reach"
    for language in LANGUAGES:
        assert wrong.feedback in exercise.texts(language).feedback or (
            wrong.feedback in kind_of(exercise).feedback
        )


def fewest_wrong(exercise: Exercise) -> int:
    """Return how many different wrong answers an exercise needs: three, or all where its page offers fewer options."""
    options = kind_of(exercise).page(exercise, exercise.texts("en"), KindProgress()).get("options")
    return min(3, len(options) - 1) if options else 3


@pytest.mark.parametrize("exercise", EXERCISES, ids=name)
def test_wrong_answers_are_different_ones(exercise: Exercise) -> None:
    different, fewest = (
        {str(wrong_answer(exercise, wrong)) for wrong in exercise.wrong},
        fewest_wrong(exercise),
    )
    assert len(different) >= fewest
    assert fewest == 3 or exercise.kind not in {"choice", "several"}, "at least four options"


def broken_claims(exercise: Exercise) -> list[Any]:
    """Return what the task speaks of and is not so where the learner stands."""
    if not exercise.claims:
        return []
    watches = [ConditionWatch(claim) for claim in exercise.claims]
    moment = GradedRun(exercise.scenario, (), watches).go(exercise.scenario["until_us"])
    return [each.condition for each in watches if not each.holds(moment)]


@pytest.mark.parametrize("exercise", EXERCISES, ids=name)
def test_the_task_speaks_of_what_is_there(exercise: Exercise) -> None:
    assert broken_claims(exercise) == []


@pytest.mark.parametrize("exercise", [each for each in EXERCISES if each.kind == "choice"], ids=name)
def test_exactly_one_option_is_right(exercise: Exercise) -> None:
    right = [option.id for option in exercise.form.options if grade(exercise, option.id).passed]
    assert len(right) == 1
    for option in exercise.form.options:
        assert option.id in exercise.en.feedback or option.id in right


def test_texts_name_the_same_things_in_every_language() -> None:
    for exercise in EXERCISES:
        english, where = exercise.en, exercise.slug
        form = [
            each.id for part in ("options", "items", "goals") for each in getattr(exercise.form, part, ())
        ]
        for texts in map(exercise.texts, LANGUAGES):
            assert set(texts.words) == set(english.words), where
            assert set(texts.feedback) == set(english.feedback), where
            assert len(texts.hints) == len(english.hints), where
            assert len(texts.steps) == len(english.steps), where
            assert exercise.kind != "broker" or len(texts.steps) == len(exercise.form.steps), where
            assert set(form) <= set(texts.words), where


def all_text(texts: ExerciseTexts | UnitTexts) -> str:
    return str(texts)


def test_chinese_is_in_its_script() -> None:
    for owner in (*EXERCISES, *catalog.units()):
        assert not TRADITIONAL.intersection(all_text(owner.zh_hans)), owner.slug
        assert not SIMPLIFIED.intersection(all_text(owner.zh_hant)), owner.slug
        assert [word for word in MAINLAND.split() if word in all_text(owner.zh_hant)] == [], owner.slug
        for texts in (owner.zh_hans, owner.zh_hant):
            assert re.search(r"[一-鿿]", texts.title), owner.slug


@pytest.mark.parametrize("kind", ["power", "kill"])
def test_messages_are_lost_by_a_power_cut_or_a_kill(kind: str) -> None:
    exercise = catalog.exercise("lose-persistent")
    solution = solution_of(exercise)
    commands = [{**each, "kind": kind} if each["do"] == "restart" else each for each in solution["commands"]]
    assert grade(exercise, {**solution, "commands": commands}).passed


def test_sizes_of_messages_are_written_in_the_unit_of_the_form() -> None:
    """The form takes bytes; only what an operator types at the console has a unit of its own, as in 500KB."""
    for owner in (*EXERCISES, *catalog.units()):
        if "rabbitmqctl" not in all_text(owner.en):
            for texts in (owner.en, owner.zh_hans, owner.zh_hant):
                assert not re.search(r"(?i)\d\s?[km]i?b\b", all_text(texts)), owner.slug


def test_grading_is_pure() -> None:
    """No page, no database, no clock: only the engine, the standard library and msgspec."""
    for path in Path(catalog.__file__).parent.joinpath("grading").glob("*.py"):
        imported = re.findall(r"^\s*(?:from|import) ([\w.]+)", path.read_text("utf-8"), re.MULTILINE)
        for module in imported:
            assert module.split(".")[0] not in {"django", "time", "datetime", "random", "os"}, path.name
            assert not module.startswith("playground") or module.startswith("playground.exercises"), path.name


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_longest_option_is_right_no_more_often_than_by_chance(language: str) -> None:
    """Who always takes the longest of the options is not better off than who draws one."""
    longest = chance = 0.0
    for exercise in EXERCISES:
        if exercise.kind == "choice":
            words = exercise.texts(language).words
            lengths = {option.id: len(words[option.id]) for option in exercise.form.options}
            most = [each for each, length in lengths.items() if length == max(lengths.values())]
            right = next(each for each in lengths if grade(exercise, each).passed)
            longest += (right in most) / len(most)
            chance += 1 / len(lengths)
    assert longest <= chance + 1, (longest, chance)
