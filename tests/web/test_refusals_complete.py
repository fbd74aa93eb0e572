"""Every refusal has a code, and every code that a page can show has a text in three languages.

It walks the engine, and what is built on it: workloads, sweeps, and the command line of the sweeps. Damage that the
inspectors find in files has codes in the same way.
"""

from __future__ import annotations

import ast
import pickle
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from django.utils import translation

from engine.damage import ENGLISH as OF_DAMAGE
from engine.values.errors import (
    ENGLISH,
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
from playground.hosting.refusals import TEXTS, message_of
from playground.inspecting import views
from playground.storybook import story
from playground.storybook.story import OF_FILES, WrittenWrong
from playground.sweeping import asked
from playground.texts import MEBIBYTE, PageMessage
from spark_jobs.errors import JobError
from spark_jobs.refusals import ENGLISH as OF_JOBS
from sweeps.errors import SweepError, kept, read
from sweeps.refusals import ENGLISH as OF_SWEEPS
from workloads.errors import LineError, WorkloadError
from workloads.refusals import ENGLISH as OF_WORKLOADS
from workloads.remarks import ENGLISH as OF_REMARKS

ROOT = Path(__file__).resolve().parents[2]
PLACES_OF_CODE = (
    "engine",
    "workloads",
    "sweeps",
    "spark_jobs",
    "playground/sweeping",
    "playground/management",
    "playground/storybook",
    "playground/exercises",
)
REFUSALS: dict[str, dict[str, str]] = {
    **dict.fromkeys(
        (
            *("CommandError", "IndexCorrupt", "PathRefused", "PatternRefused", "PolicyRefused"),
            *("ScenarioError", "StoreCorrupt", "TermError", "ValueRefused"),
        ),
        ENGLISH,
    ),
    "WrittenWrong": dict(WrittenWrong.sentences),
    "WorkloadError": {**ENGLISH, **OF_WORKLOADS},
    "LineError": OF_WORKLOADS,
    "SweepError": {**ENGLISH, **OF_SWEEPS},
    "JobError": {**ENGLISH, **OF_WORKLOADS, **OF_SWEEPS, **OF_JOBS},
}
"""The classes that take a code, with the English sentences that they know."""
SHOWN: dict[str, tuple[str, Any]] = {
    **{code: (text, TEXTS.get(code)) for code, text in ENGLISH.items()},
    **{code: (text, asked.OF_WORKLOADS.get(code)) for code, text in OF_WORKLOADS.items()},
    **{code: (text, asked.OF_SWEEPS.get(code)) for code, text in OF_SWEEPS.items()},
    **{code: (str(text), text) for code, text in OF_FILES.items()},
}
"""English and text for the reader of each code that a page can show; the jobs' own codes go to a terminal."""
REMARKS: dict[str, tuple[str, Any]] = {
    code: (text, asked.REMARKS.get(code)) for code, text in OF_REMARKS.items()
}
"""The same of what is told of an import."""
DAMAGE: dict[str, tuple[str, Any]] = {code: (text, views.TEXTS.get(code)) for code, text in OF_DAMAGE.items()}
"""The same of each finding in a file."""
AS_THEY_ARE = {"broker_refuses", "invalid", "unexpected"}
"""Codes whose words are shown as they are: of the broker, rare ones of the validator, and of Python's own errors."""
PLACES = re.compile(r"%\((\w+)\)s")


def filled(text: str) -> set[str]:
    """Return the parameters that a text writes; `%(used_mib)s` is `used`, in MiB, and `%(room_n)s` is `room`."""
    return {name.removesuffix("_mib").removesuffix("_n") for name in PLACES.findall(text)}


def test_the_codes_are_the_engines() -> None:
    assert list(TEXTS) == list(ENGLISH)
    assert list(asked.OF_WORKLOADS) == list(OF_WORKLOADS)
    assert list(asked.OF_SWEEPS) == list(OF_SWEEPS)
    assert list(views.TEXTS) == list(OF_DAMAGE)
    assert list(asked.REMARKS) == list(OF_REMARKS)


def test_a_code_means_one_thing() -> None:
    tables = (ENGLISH, OF_WORKLOADS, OF_SWEEPS, OF_JOBS, OF_DAMAGE, OF_FILES)
    assert len({code for table in tables for code in table}) == sum(map(len, tables))


def test_every_code_has_a_text_in_three_languages() -> None:
    sentences = {**SHOWN, **DAMAGE, **REMARKS}
    english = {code: str(lazy) for code, (_sentence, lazy) in sentences.items()}
    for code, (sentence, _lazy) in sentences.items():
        assert filled(english[code]) <= set(PLACES.findall(sentence)), f"{code}: a place that nobody fills"
    for language in ("zh-hans", "zh-hant"):
        with translation.override(language):
            texts = {code: str(lazy) for code, (_sentence, lazy) in sentences.items()}
        for code, text in texts.items():
            assert set(PLACES.findall(text)) == set(PLACES.findall(english[code])), (code, language)
            assert (text != english[code]) or code in AS_THEY_ARE, f"{code} has no words in {language}"


def test_every_refusal_is_written_whatever_its_parameters_are_called() -> None:
    for code in SHOWN:
        is_written(code)


def is_written(code: str) -> None:
    kind: type[Refusal] = WorkloadError if code in OF_WORKLOADS else SweepError
    read_by: Callable[[Exception], PageMessage] = asked.message_of
    if code in OF_FILES:
        kind, read_by = WrittenWrong, story.message_of
    named = {name: f"<{name}>" for name in PLACES.findall(SHOWN[code][0])}
    in_mib = {name for name in PLACES.findall(str(SHOWN[code][1])) if name.endswith("_mib")}
    counted = {
        name.removesuffix("_mib"): number * MEBIBYTE for number, name in enumerate(sorted(in_mib), start=101)
    }
    grouped = {name for name in PLACES.findall(str(SHOWN[code][1])) if name.endswith("_n")}
    counted |= {name.removesuffix("_n"): 12_000 + at for at, name in enumerate(sorted(grouped), start=345)}
    error = kind(code, "", **named | counted)
    message = read_by(error)
    assert (message.code, message.values) == (code, error.values)
    for place in PLACES.findall(str(SHOWN[code][1])):
        value = error.values[place.removesuffix("_mib").removesuffix("_n")]
        shown = str(value // MEBIBYTE) if place in in_mib else value
        assert (f"12\u202f{value - 12_000}" if place in grouped else shown) in str(message), code


def sources() -> Iterator[Path]:
    for place in PLACES_OF_CODE:
        yield from sorted((ROOT / place).rglob("*.py"))


def raised() -> Iterator[tuple[str, ast.Call]]:
    """Yield where each refusal is made."""
    for path in sources():
        text = path.read_text()
        if not any(f"{name}(" in text for name in REFUSALS):
            continue
        django = "from django.core.management.base import" in text  # its CommandError is for a terminal
        for node in ast.walk(ast.parse(text)):
            if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Name):
                continue
            if node.func.id in REFUSALS and not (django and node.func.id == "CommandError"):
                yield f"{path.relative_to(ROOT)}:{node.lineno}", node


def trouble_of(call: ast.Call) -> str:
    """Return what is wrong with a refusal's code and parameters, or nothing."""
    assert isinstance(call.func, ast.Name)
    english = REFUSALS[call.func.id]
    code = call.args[1 if call.func.id == "LineError" else 0]  # of a line, its number comes first
    if any(each.arg is None for each in call.keywords):  # handed on as it came, with its parameters
        return ""
    if isinstance(code, ast.Name):  # one of two, chosen a line before: the web tests give both
        return ""
    if not isinstance(code, ast.Constant):
        return f"{ast.unparse(code)} is not written as a code"
    if code.value not in english:
        return f"{code.value!r} is no code"
    given, wanted = {each.arg for each in call.keywords}, set(PLACES.findall(str(english[str(code.value)])))
    return "" if given == wanted else f"{code.value!r} takes {sorted(wanted)}"


def test_every_refusal_has_a_code_and_all_its_parameters() -> None:
    made = list(raised())
    assert {call.func.id for _place, call in made if isinstance(call.func, ast.Name)} == set(REFUSALS)
    assert [f"{place}: {trouble}" for place, call in made if (trouble := trouble_of(call))] == []


@pytest.mark.parametrize(
    ("source", "trouble"),
    [
        ('CommandError("no_queue", name="x", known="")', ""),
        ('CommandError("no_such_code")', "'no_such_code' is no code"),
        ('CommandError("no_queue", name="x")', "'no_queue' takes ['known', 'name']"),
        ('CommandError(f"no_{kind}")', "f'no_{kind}' is not written as a code"),
    ],
    ids=("whole", "unknown", "without a parameter", "put together"),
)
def test_a_refusal_without_its_code_or_parameters_is_found(source: str, trouble: str) -> None:
    call = ast.parse(source, mode="eval").body
    assert isinstance(call, ast.Call)
    assert trouble_of(call) == trouble


def found() -> Iterator[tuple[str, ast.Call]]:
    """Yield where each finding in a file is noted: `findings.add(file, offset, kind, code, ...)`."""
    for path in sorted((ROOT / "engine").rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Call) and ast.unparse(node.func).endswith("findings.add"):
                yield f"{path.relative_to(ROOT)}:{node.lineno}", node


def test_every_finding_has_a_code_and_all_its_parameters_and_they_are_shown() -> None:
    for place, call in found():
        code = call.args[3]
        assert isinstance(code, ast.Constant), place
        sentence, lazy = DAMAGE[str(code.value)]
        assert {each.arg for each in call.keywords} == set(PLACES.findall(sentence)), place
        assert set(PLACES.findall(str(lazy))) == set(PLACES.findall(sentence)), place


def test_every_finding_is_noted_somewhere_and_each_kind_has_words_in_three_languages() -> None:
    calls = [call.args for _place, call in found()]
    assert {each[3].value for each in calls if isinstance(each[3], ast.Constant)} == set(OF_DAMAGE)
    kinds = {each[2].value for each in calls if isinstance(each[2], ast.Constant)}
    assert kinds == set(views.KINDS)
    for language in ("zh-hans", "zh-hant"):
        with translation.override(language):
            texts = [str(text) for text in views.KINDS.values()]
        assert not set(texts) & {str(text) for text in views.KINDS.values()}


def test_every_code_is_raised_somewhere() -> None:
    source = "\n".join(path.read_text() for path in sources() if path.name != "refusals.py")
    codes = [*ENGLISH, *OF_WORKLOADS, *OF_SWEEPS, *OF_JOBS, *OF_FILES]
    assert [code for code in codes if f'"{code}"' not in source] == []


def test_a_refused_line_says_which_in_the_readers_language() -> None:
    error = pickle.loads(pickle.dumps(LineError(7, "option_unknown", name="--fast")))
    assert str(error) == "line 7: PerfTest has no option --fast"
    assert str(asked.message_of(error)) == "Line 7: PerfTest has no option --fast."
    assert asked.message_of(error).in_language("zh-hans").startswith("第 7 行：")


def test_what_the_engine_refuses_keeps_its_code_as_a_workload_and_in_a_sweep() -> None:
    first = ScenarioError("no_setting", name="colour", known="seed")
    for kind in (WorkloadError, SweepError, JobError):
        error = first.inside("", kind)
        assert (error.code, str(error)) == (first.code, str(first))
        assert str(asked.message_of(error)) == "settings: there is no setting called colour."


@pytest.mark.parametrize(
    ("error", "code", "shown"),
    [
        (SweepError("cell_too_long", most=5), "cell_too_long", "The run made more than 5 transitions."),
        (CommandError("no_queue", name="x", known=""), "no_queue", "There is no queue called x."),
        (ZeroDivisionError("division by zero"), "unexpected", "ZeroDivisionError: division by zero"),
        (SweepError("job_failed", why='"' * 1000), "job_failed", "The Spark job failed ("),
    ],
    ids=("of a sweep", "of a command", "of the engine", "longer than its column"),
)
def test_a_failure_that_is_kept_is_shown_in_the_readers_language(
    error: Exception, code: str, shown: str
) -> None:
    text = kept(error)
    assert len(text) <= 300, "as much as the database takes"
    assert read(text).code == code
    assert asked.failure(text).startswith(shown)


def test_a_failure_of_an_earlier_version_is_shown_as_it_stands() -> None:
    for text in ("it took longer than 5 s", '{"code":"of_a_later_version","values":{}}', "7"):
        assert asked.failure(text) == text
    assert asked.failure("") == ""


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


def test_a_written_refusal_carries_its_code() -> None:
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
