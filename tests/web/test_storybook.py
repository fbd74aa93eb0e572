"""Scenario files: what is read, what is refused and where, and that the published schema says the same."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import jsonschema
import msgspec
import pytest
from django.utils import translation

from playground.storybook import ready_scenarios
from playground.storybook.entry import (
    BadScenario,
    TooNew,
    counted_from_0,
    line_and_column,
    migrated,
    positions,
    read,
    schema,
)
from playground.storybook.rehearsal import rehearse
from playground.storybook.story import WorkloadPhase, expand_phases

SECOND_US = 1_000_000

SMALL: dict[str, Any] = {
    "version": 1,
    "slug": "small",
    "title": {"en": "Small", "zh_Hans": "小"},
    "question": "Where does it go?",
    "subjects": [11],
    "questions": [4],
    "profile": "classroom",
    "workload": [{"name": "w", "time": 2, "rate": 10, "size": 100, "producers": 1}],
    "commands": [{"at_us": 0, "do": "publish", "count": 5, "size_bytes": 100}],
    "until_us": 4_000_000,
    "breakpoints": [{"at_us": 1_000_000}],
    "annotations": [
        {"when": {"path": "queues.orders.counters.len", "op": ">", "value": 6}, "text": "More than six."}
    ],
    "prediction": {
        "question": "How many?",
        "at_us": 3_000_000,
        "options": [
            {"text": "25", "when": {"path": "queues.orders.counters.len", "value": 25}},
            {"text": "fewer", "when": {"path": "queues.orders.counters.len", "op": "<", "value": 25}},
        ],
    },
    "verdict": {"claim": "c", "verdict": "false", "evidence_at_us": 2_000_000, "text": "t", "rules": ["Q21"]},
    "claims": [
        {"at_us": 0, "test": {"path": "queues.orders.lanes.q4.messages", "value": 5}},
        {"test": {"path": "happened.Published", "op": ">", "value": 1}},
        {
            "at_us": 3_000_000,
            "test": {
                "path": "queues.orders.counters.len",
                "op": ">",
                "value": {"path": "queues.orders.counters.len", "at_us": 1_000_000},
            },
        },
        {"test": {"path": "figures.published", "value": 25}},
    ],
}


def problems(body: Any) -> list[tuple[str, int, int]]:
    with pytest.raises(BadScenario) as caught:
        read(body if isinstance(body, str) else json.dumps(body))
    return [(each.path, each.line, each.column) for each in caught.value.problems]


def test_a_file_is_read_expanded_and_played() -> None:
    entry = read(json.dumps(SMALL))
    assert entry.title == "Small"
    verbs = [(each["at_us"], each["do"]) for each in entry.run["commands"]]
    assert verbs == [(0, "publish"), (0, "set_publisher"), (2 * SECOND_US, "remove")]
    result = rehearse(entry)
    assert (result.broken, result.refused, result.answer) == ([], [], 0)


def test_claims_that_do_not_hold_are_reported() -> None:
    wrong = {**SMALL, "claims": [{"test": {"path": "queues.orders.counters.len", "value": 3}}]}
    assert rehearse(read(wrong)).broken == ["claims[0]: queues.orders.counters.len is 25, and not == 3"]
    both = {"text": "some", "when": {"path": "queues.orders.counters.len", "op": ">", "value": 1}}
    prediction = {**SMALL["prediction"], "options": [*SMALL["prediction"]["options"], both]}
    assert rehearse(read({**SMALL, "prediction": prediction})).broken == [
        "prediction: 2 options hold: [0, 2]"
    ]


def test_the_canonical_form_is_stable() -> None:
    shuffled = dict(reversed(SMALL.items()))
    text = read(shuffled).encode()
    assert text == read(text).encode()
    assert list(json.loads(text))[:4] == ["version", "slug", "title", "subjects"]
    assert read(text).run == read(SMALL).run


def test_problems_have_line_and_column() -> None:
    command = '{"at_us": 0, "do": "publish", "count": 0, "size_bytes": 5}'
    text = f'{{"version": 1,\n "profile": "classroom",\n "commands": [\n  {command}]}}'
    assert problems(text) == [("commands[0].count", 4, 42)]
    assert problems('{"version": 1,\n,}') == [("$", 2, 1)]
    assert problems("[1]") == [("$", 1, 1)]
    assert problems('{"version": 1, "profile": "classroom",\n\n  "colour": 1}') == [("colour", 3, 13)]
    assert problems('{"version": NaN}')[0][0] == "$"
    assert problems('{"a":' * 40 + "1" + "}" * 40)[0][0] == "$"


@pytest.mark.parametrize(
    ("change", "path"),
    [
        ({"subjects": [31]}, "subjects[0]"),
        ({"slug": "Has Spaces"}, "slug"),
        ({"annotations": [{"text": "x"}]}, "annotations[0]"),
        ({"annotations": [{"text": "x", "at_us": 5_000_000}]}, "annotations[0].at_us"),
        ({"verdict": {**SMALL["verdict"], "verdict": "maybe"}}, "verdict.verdict"),
        ({"verdict": {**SMALL["verdict"], "rules": ["<b>"]}}, "verdict.rules[0]"),
        ({"prediction": {**SMALL["prediction"], "at_us": 9_000_000}}, "prediction.at_us"),
        ({"title": {"fr": "Petit"}}, "title"),
        ({"title": "x" * 2001}, "title"),
        ({"workload": [{"rate": 0}]}, "workload[0].rate"),
        ({"settings": {"ram_bytes": 1}}, "settings.ram_bytes"),
        ({"profile": "huge"}, "profile"),
        ({"annotations": [{"at_us": 0, "text": "x", "view": "moon"}]}, "annotations[0].view"),
    ],
)
def test_each_problem_names_its_place(change: dict[str, Any], path: str) -> None:
    [(found, line, _column)] = problems({**SMALL, **change})
    assert (found, line) == (path, 1)


@pytest.mark.parametrize(
    ("change", "chinese"),
    [
        ({"annotations": [{"text": "x"}]}, "annotations[0]: 请给出 at_us 或 when 之一，不能两者都给。"),
        ({"annotations": [{"text": "x", "when": {"value": 1}}]}, "annotations[0].when: 请恰好给出其中之一"),
        (
            {"annotations": [{"text": "x", "when": {"ever": {"path": "now_us", "value": 1}}}]},
            "annotations[0]: 只有论断才能使用",
        ),
        ({"prediction": {**SMALL["prediction"], "ask_at_us": 10**10}}, "prediction: ask_at_us 必须早于"),
    ],
)
def test_what_a_story_refuses_is_refused_in_the_readers_language(
    change: dict[str, Any], chinese: str
) -> None:
    with pytest.raises(BadScenario) as refused:
        read({**SMALL, **change})
    with translation.override("zh-hans"):
        assert chinese in str(refused.value.problems[0].message)


def test_several_problems_are_reported_at_once() -> None:
    assert [path for path, _line, _column in problems({**SMALL, "slug": "-", "subjects": ["x"]})] == [
        "slug",
        "subjects[0]",
    ]


def test_positions_agree_with_the_json_module() -> None:
    text = json.dumps(SMALL, indent=1)
    for path, offset in positions(text).items():
        value: Any = SMALL
        for step in path:
            value = value[step]
        found, _end = json.JSONDecoder().raw_decode(text, offset)
        assert found == value
    assert line_and_column("a\nbc", 3) == (2, 2)


# --- the schema and the parser say the same ---


def accepted(body: Any) -> bool:
    return jsonschema.Draft202012Validator(schema()).is_valid(body)


def test_the_schema_is_a_schema() -> None:
    jsonschema.Draft202012Validator.check_schema(schema())


def test_the_schema_takes_every_ready_scenario_and_the_small_one() -> None:
    for path in ready_scenarios.files():
        errors = list(jsonschema.Draft202012Validator(schema()).iter_errors(json.loads(path.read_bytes())))
        assert errors == [], path.stem
    assert accepted(SMALL)


@pytest.mark.parametrize(
    "change",
    [
        {"version": 2},
        {"profile": "huge"},
        {"colour": "blue"},
        {"subjects": [0]},
        {"questions": [13]},
        {"slug": "Has Spaces"},
        {"settings": {"ram": 5}},
        {"settings": {"ram_bytes": "much"}},
        {"until_us": -1},
        {"commands": [{"do": "publish", "count": 1, "size_bytes": 1}]},
        {"commands": [{"at_us": 0, "do": "dance"}]},
        {"commands": [{"at_us": 0, "do": "publish", "count": 0, "size_bytes": 1}]},
        {"commands": [{"at_us": 0, "do": "purge", "colour": 1}]},
        {"annotations": [{"at_us": 1}]},
        {"claims": [{"test": {"path": "a", "op": "~"}}]},
        {"verdict": {"verdict": "true"}},
        {"workload": [{"time": 0}]},
        {"digest": "xyz"},
    ],
)
def test_the_schema_refuses_what_the_parser_refuses(change: dict[str, Any]) -> None:
    body = {**SMALL, **change}
    assert problems(body)
    assert not accepted(body)


# --- older versions ---


def test_a_file_of_version_0_is_brought_up_to_date() -> None:
    old = json.loads(Path(__file__).with_name("scenario-v0.json").read_text("utf-8"))
    entry = read(json.dumps(old))
    assert entry.came_from == 0
    assert entry.run["until_us"] == 6_000_000
    assert [each["at_us"] for each in entry.run["commands"]] == [500_000, 3_000_000]
    assert json.loads(entry.encode())["version"] == 1
    assert rehearse(entry).transitions > 20


def test_a_file_of_a_later_version_is_refused_with_the_reason() -> None:
    with pytest.raises(TooNew):
        migrated({"version": 9})
    assert problems({"version": 9}) == [("version", 1, 13)]


# --- workloads ---


def test_a_workload_speaks_perftest() -> None:
    phase = WorkloadPhase(
        name="w", start=1, time=5, producers=2, consumers=1, consumer_rate=7, qos=3, multi_ack_every=5,
        size=10, variable_rate=["100:2", "0:1"], flag=["persistent"], confirm=True,
    )  # fmt: skip
    commands = expand_phases([phase])
    assert commands[0] == {
        "at_us": SECOND_US, "do": "set_consumer", "name": "w-c1", "rate_per_s": 7, "prefetch": 3, "ack": "multiple",
    }  # fmt: skip
    changes = [each for each in commands if each["do"] == "set_publisher"]
    course = [
        (each["at_us"] // SECOND_US, each["rate_per_s"], each["running"])
        for each in changes
        if each["name"] == "w-p2"
    ]
    assert course == [(1, 100, True), (3, 1, False), (4, 100, True)]
    assert [each["name"] for each in commands if each["do"] == "remove"] == ["w-p1", "w-p2", "w-c1"]
    assert all(each["persistent"] and each["confirm"] for each in changes)


def test_a_title_alone_is_no_story() -> None:
    bare = {"version": 1, "title": "Mine", "profile": "classroom", "until_us": 1_000_000}
    assert read(json.dumps(bare)).story_json() == {}
    assert read(json.dumps({**bare, "question": "Why?"})).story_json()["question"]


@pytest.mark.parametrize(
    ("old", "present"),
    [
        ({"path": "happened.Fetched"}, {"path": "happened.Fetched", "value": 0}),
        (
            {"path": "happened.Fetched", "op": "!=", "value": None},
            {"path": "happened.Fetched", "op": ">", "value": 0},
        ),
        ({"path": ["happened", "Fetched"], "value": 3}, {"path": ["happened", "Fetched"], "value": 3}),
        ({"path": "queues.x", "op": "!=", "value": None}, {"path": "queues.x", "op": "!=", "value": None}),
    ],
)
def test_an_old_claim_about_what_never_happened_still_means_it(old: Any, present: Any) -> None:
    assert counted_from_0(old) == present
    entry = read({**SMALL, "claims": [{"test": {"any": [old, old]}}]})
    assert (
        msgspec.to_builtins(entry.story)["claims"]
        == msgspec.to_builtins(read({**SMALL, "claims": [{"test": {"any": [present, present]}}]}).story)[
            "claims"
        ]
    )


def test_ever_and_always_of_a_claim_end_at_its_moment() -> None:
    def broken(test: Any, at_us: int) -> list[str]:
        return rehearse(read({**SMALL, "claims": [{"at_us": at_us, "test": test}]})).broken

    full = {"path": "queue.ready", "op": ">", "value": 20}
    assert broken({"ever": full}, 0)
    assert not broken({"ever": full}, SMALL["until_us"])
    assert broken({"always": full}, SMALL["until_us"])
    assert not broken({"always": {"not": full}}, 0)
