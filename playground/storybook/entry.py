"""Reading and writing a scenario file: the run, checked by the engine, and the story around it."""

from __future__ import annotations

import itertools
import json
import math
import re
from collections.abc import Iterator
from functools import cache
from json import JSONDecodeError
from json.decoder import scanstring  # type: ignore[attr-defined]
from typing import Any, Final

import msgspec
from django.utils.translation import gettext_lazy as _

from engine.broker.commands import base, commands
from engine.broker.commands import scenario as scenarios
from engine.broker.commands.base import refused
from engine.broker.commands.settings import RULES, NodeSettings
from engine.releases import PROFILES, RELEASES
from engine.values.errors import Refusal
from playground.hosting.real_engine import door
from playground.limits import session_limits
from playground.limits.session_limits import SessionLimits, too_unequal
from playground.storybook.story import (
    FIELDS,
    MOST_PHASE_COMMANDS,
    Microseconds,
    ScenarioStory,
    WrittenWrong,
    command_count,
    expand_phases,
    in_language,
    message_of,
)
from playground.texts import PageMessage
from playground.typed_texts import given_text

Steps = tuple[str | int, ...]

_SPACE: Final = re.compile(r"[ \t\n\r]*")
_PLAIN: Final = re.compile(r"-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null")
DEPTH: Final = 30


def positions(text: str) -> dict[Steps, int]:
    """Return the offset at which each value begins, by its path. A key that is there twice counts as the last.
    Raises JSONDecodeError, which has line and column, for what is no JSON.
    """
    found: dict[Steps, int] = {}
    end = _value(text, _skip(text, 0), (), found)
    end = _skip(text, end)
    if end != len(text):
        raise JSONDecodeError("there is something after the end of the object", text, end)
    return found


def line_and_column(text: str, offset: int) -> tuple[int, int]:
    before = text[:offset]
    return before.count("\n") + 1, offset - (before.rfind("\n") + 1) + 1


def _skip(text: str, at: int) -> int:
    found = _SPACE.match(text, at)
    return found.end() if found else at


def _value(text: str, at: int, path: Steps, found: dict[Steps, int]) -> int:
    if len(path) > DEPTH:
        raise JSONDecodeError("this is nested too deeply", text, at)
    found[path] = at
    first = text[at : at + 1]
    if first in ("{", "["):
        return _inside(text, at, "}" if first == "{" else "]", path, found)
    if first == '"':
        return int(scanstring(text, at + 1, True)[1])
    plain = _PLAIN.match(text, at)
    if plain is None:
        raise JSONDecodeError("a value is expected here", text, at)
    return plain.end()


def _inside(text: str, at: int, close: str, path: Steps, found: dict[Steps, int]) -> int:
    """Go through an object or an array to what closes it; return where that ends."""
    at = _skip(text, at + 1)
    if text[at : at + 1] == close:
        return at + 1
    for number in itertools.count():
        step: str | int = number
        if close == "}":
            if text[at : at + 1] != '"':
                raise JSONDecodeError("a name in double quotes is expected here", text, at)
            step, at = scanstring(text, at + 1, True)
            at = _skip(text, at)
            if text[at : at + 1] != ":":
                raise JSONDecodeError("a colon is expected here", text, at)
            at = _skip(text, at + 1)
        at = _skip(text, _value(text, at, (*path, step), found))
        if text[at : at + 1] == close:
            break
        if text[at : at + 1] != ",":
            raise JSONDecodeError(f"a comma or {close} is expected here", text, at)
        at = _skip(text, at + 1)
    return at + 1


LARGEST: Final = 2**63 - 1
_HALF: Final = re.compile("[\ud800-\udfff]")


def unkept_values(value: Any, path: str = "") -> Iterator[tuple[str, PageMessage]]:
    """Find them, each with its path such as `commands[3].count`. `value`: as `json.loads` returned it, not nested
    too deeply.
    """
    if isinstance(value, dict):
        for name, part in value.items():
            if _HALF.search(name):
                yield path or "$", PageMessage(_HALF_TEXT)
            else:
                yield from unkept_values(part, f"{path}.{name}" if path else name)
    elif isinstance(value, list):
        for number, part in enumerate(value):
            yield from unkept_values(part, f"{path}[{number}]")
    elif isinstance(value, str):
        if _HALF.search(value):
            yield path or "$", PageMessage(_HALF_TEXT)
    elif isinstance(value, float):
        if not math.isfinite(value):
            yield path or "$", PageMessage(_NUMBER_TEXT, most=LARGEST)
    elif isinstance(value, int) and abs(value) > LARGEST:
        yield path or "$", PageMessage(_NUMBER_TEXT, most=LARGEST)


_HALF_TEXT = _(
    "A text has half of a character (a lone surrogate, \\ud800 to \\udfff). Write the whole character."
)
_NUMBER_TEXT = _("A number is too large. The largest is %(most)s.")

Body = dict[str, Any]


class TooNew(ValueError):
    """The file was written by a later Waterline."""

    def __init__(self, version: int) -> None:
        super().__init__(version)
        self.message = PageMessage(
            _(
                "This file has version %(version)s; this Waterline reads versions up to %(most)s. A "
                "newer Waterline can open it."
            ),
            version=version,
            most=PRESENT,
        )


def _from_0(body: Body) -> Body:
    """Version 0 had times in milliseconds, `scale` for the profile, `until_ms`, and no story."""
    new = {name: value for name, value in body.items() if name not in {"scale", "until_ms", "commands"}}
    commands = body.get("commands") or []
    if isinstance(commands, list):
        commands = [_command_from_0(each) for each in commands]
    if "until_ms" in body:
        new["until_us"] = _thousandfold(body["until_ms"])
    profile = body.get("profile") or body.get("scale") or "classroom"
    # the transitions of version 0 had another form
    return {**new, "version": 1, "profile": profile, "commands": commands, "digest": None}


def _command_from_0(command: Any) -> Any:
    if not isinstance(command, dict) or "at_ms" not in command:
        return command
    rest = {name: value for name, value in command.items() if name != "at_ms"}
    return {"at_us": _thousandfold(command["at_ms"]), **rest}


def _thousandfold(value: Any) -> Any:
    return value * 1000 if isinstance(value, int) and not isinstance(value, bool) else value


def counted_from_0(condition: Any) -> Any:
    """Return a condition of a claim in the present language: what never happened is 0 there, and was null once."""
    if isinstance(condition, list):
        return [counted_from_0(each) for each in condition]
    if not isinstance(condition, dict):
        return condition
    parts = {
        name: counted_from_0(value) if name in {"all", "any"} else value for name, value in condition.items()
    }
    path, op = parts.get("path"), parts.get("op", "==")
    names = path.split(".") if isinstance(path, str) else path if isinstance(path, list) else []
    first = next(iter(names), "")
    if first != "happened" or parts.get("value") is not None or op not in {"==", "!="}:
        return parts
    rest = {name: value for name, value in parts.items() if name != "op"}
    return {**rest, "value": 0} if op == "==" else {**rest, "op": ">", "value": 0}


def _with_present_claims(body: Body) -> Body:
    claims = body.get("claims")
    if not isinstance(claims, list):
        return body
    return {
        **body,
        "claims": [
            {**each, "test": counted_from_0(each["test"])}
            if isinstance(each, dict) and "test" in each
            else each
            for each in claims
        ],
    }


PRESENT: Final = 1


def migrated(body: Body) -> tuple[Body, int]:
    """Return a file's object in the present version, and the version that it had. Raises TooNew for a version that
    is not known yet. What has no version stays as it is: the parser refuses it.
    """
    version = body.get("version")
    if isinstance(version, bool) or not isinstance(version, int):
        return body, PRESENT
    if version > PRESENT:
        raise TooNew(version)
    return _with_present_claims(_from_0(body) if version == 0 else body), version


MAX_TITLE: Final = 200
MOST_PROBLEMS: Final = 20
STORY_ONLY: Final = frozenset(FIELDS) - {"title"}
ORDER: Final = (
    "version slug title subjects questions question watch_for profile settings seed topology workload "
    "commands until_us burst_us breakpoints annotations prediction verdict claims digest"
).split()
"""The canonical order of the file's fields."""
_PLACE: Final = re.compile(r"(?P<place>[a-z_]+(?:\.[A-Za-z_]\w*|\[[^\]]*\])*)(?=[\s:.]|$)")
PLACE_OF: Final = {
    "no_setting": "settings",
    "twice": "topology.%(part)s",
    "topology_refused": "topology",
    "other_version": "version",
    "out_of_order": "commands[%(number)s].at_us",
}
"""Where that stands which errors without a parameter `place` are about, by their codes."""
_STEP: Final = re.compile(r"([A-Za-z_]\w*)|\[(\d+)\]|\[([^\]]*)\]")


class EntryProblem(msgspec.Struct, frozen=True):
    """What is wrong in a file, and where. `path`: the place as in `commands[3].count`. `line`, `column`: the place
    in the text, from 1; 0 when the file was given as an object.
    """

    path: str
    message: PageMessage
    line: int = 0
    column: int = 0


class BadScenario(Exception):
    """A file that cannot be used; `problems` lists all that was found."""

    def __init__(self, problems: list[EntryProblem]) -> None:
        super().__init__("; ".join(f"{each.path}: {each.message}" for each in problems))
        self.problems = problems

    @property
    def first(self) -> str:
        problem = self.problems[0]
        if not problem.line:
            return str(problem.message)
        text = _("%(message)s (line %(line)s, column %(column)s)")
        return str(PageMessage(text, message=problem.message, line=problem.line, column=problem.column))


STORY_PARTS = ("question", "watch_for", "annotations", "breakpoints", "prediction", "verdict")
"""Parts of which one makes a run a story."""


class LibraryEntry(msgspec.Struct, frozen=True):
    """A scenario file that is in order. `story`: title, sentences and questions around the run. `run`: the engine's
    scenario in full, the workload expanded. `written`: the run's fields as the file has them. `came_from`: the
    version in which the file was written.
    """

    story: ScenarioStory
    run: dict[str, Any]
    written: dict[str, Any]
    came_from: int

    @property
    def slug(self) -> str:
        return self.story.slug or ""

    @property
    def title(self) -> str:
        return in_language(self.story.title)

    def story_json(self) -> dict[str, Any]:
        """Return what pages show around the run: the story without what became commands or is only tested. It is
        empty for a run that has a title and no story.
        """
        parts = msgspec.to_builtins(self.story)
        if not any(parts.get(name) for name in STORY_PARTS):
            return {}
        return {name: parts[name] for name in parts if name not in {"workload", "claims"}}

    def to_json(self) -> dict[str, Any]:
        parts = {**self.written, **msgspec.to_builtins(self.story), "version": PRESENT}
        return {name: parts[name] for name in (*ORDER, *sorted(parts.keys() - set(ORDER))) if name in parts}

    def encode(self) -> str:
        return json.dumps(self.to_json(), ensure_ascii=False, indent=2) + "\n"


def read(data: bytes | str | dict[str, Any], limits: SessionLimits | None = None) -> LibraryEntry:
    """Return the entry of a file, of any version that is known. `limits`: what a visitor's file may ask of this
    server; None for one of the project's own. Raises BadScenario with every problem that was found, each with its
    place.
    """
    text, places, body = _decoded(data)
    try:
        body, came_from = migrated(body)
    except TooNew as error:
        raise BadScenario([_placed("version", error.message, text, places)]) from None
    if came_from != PRESENT:
        places = None  # problems are named by their paths: line numbers would be those of another form
    found = [_placed(path, message, text, places) for path, message in _problems(body, limits)]
    if found:
        raise BadScenario(found)
    story = msgspec.convert({name: body[name] for name in FIELDS if name in body}, ScenarioStory)
    written = {name: value for name, value in body.items() if name not in FIELDS and value is not None}
    return LibraryEntry(story, _run_of(body, story), written, came_from)


def _decoded(data: bytes | str | dict[str, Any]) -> tuple[str, dict[Steps, int] | None, dict[str, Any]]:
    if isinstance(data, dict):
        return "", None, data
    try:
        text = given_text(data)
        places = positions(text)
        body = json.loads(text, parse_constant=_no_constant)
    except UnicodeDecodeError:
        raise _unreadable(_("This is not text: it must be UTF-8.")) from None
    except JSONDecodeError as error:
        place = error.lineno, error.colno
        raise _unreadable(_("This is not JSON: %(why)s."), *place, why=error.msg) from None
    except (RecursionError, ValueError) as error:
        raise _unreadable(_("This is not JSON: %(why)s."), why=error) from None
    if not isinstance(body, dict):
        raise _unreadable(_("A scenario is an object: { … }."), 1, 1)
    return text, places, body


def _unreadable(text: Any, line: int = 0, column: int = 0, **values: Any) -> BadScenario:
    return BadScenario([EntryProblem("$", PageMessage(text, **values), line, column)])


def _no_constant(name: str) -> Any:
    raise ValueError(f"{name} is no number of JSON")


def _placed(path: str, message: PageMessage, text: str, places: dict[Steps, int] | None) -> EntryProblem:
    if places is None:
        return EntryProblem(path, message)
    steps = steps_of(path)
    while steps not in places:  # what is missing has no place of its own: the object that lacks it has
        steps = steps[:-1]
    return EntryProblem(path, message, *line_and_column(text, places[steps]))


def steps_of(path: str) -> Steps:
    """Return the steps of a path such as `commands[3].count`."""
    return tuple(
        int(number) if number else name or other
        for name, number, other in _STEP.findall(path.removeprefix("$"))
    )


def _problems(body: dict[str, Any], limits: SessionLimits | None) -> Iterator[tuple[str, PageMessage]]:
    """Find what is wrong: what cannot be kept, in the story field by field, then in the run."""
    unkeepable = list(itertools.islice(unkept_values(body), MOST_PROBLEMS))
    if unkeepable:
        yield from unkeepable
        return
    wrong_story = False
    for name, field in FIELDS.items():
        if name not in body:
            continue
        try:
            msgspec.convert(body[name], field.type)
        except msgspec.ValidationError as error:
            wrong_story = True
            yield _story_problem(name, error)
    if wrong_story:
        return
    story = msgspec.convert({name: body[name] for name in FIELDS if name in body}, ScenarioStory)
    count = command_count(story.workload)
    if count > MOST_PHASE_COMMANDS:
        text = _(
            "The phases become %(count)s commands; a scenario has up to %(most)s. Use fewer or longer stages."
        )
        yield "workload", PageMessage(text, count=count, most=MOST_PHASE_COMMANDS)
        return
    unequal = too_unequal(body.get("commands"), limits) if limits is not None else None
    if unequal is not None:
        yield "commands", unequal
        return
    try:
        run = _run_of(body, story)
    except door().no_scenario as error:
        yield _run_problem(error)
        return
    yield from _late(story, run["until_us"])
    if limits is not None:
        yield from session_limits.problems(run, limits)


def _story_problem(name: str, error: msgspec.ValidationError) -> tuple[str, PageMessage]:
    what, found, place = str(error).partition(" - at `$")
    path = name + (place.removesuffix("`") if found else "")
    wrong = msgspec.ValidationError(what)
    wrong.__cause__ = error.__cause__
    return path, message_of(refused(WrittenWrong, wrong, path))


def _run_problem(error: Exception) -> tuple[str, PageMessage]:
    """Return where an error of the engine is in the file, from its code and parameters, and its sentence."""
    if not isinstance(error, Refusal):
        return "$", message_of(error)
    place = str(error.values.get("place") or PLACE_OF.get(error.code, "") % error.values or error.outer)
    found = _PLACE.match(place)
    path = found["place"] if found else "$"
    inside = re.match(r": \w+: (\w+)", place[len(path) :]) if found else None
    return (f"{path}.{inside[1]}" if inside else path), message_of(error)


def _run_of(body: dict[str, Any], story: ScenarioStory) -> dict[str, Any]:
    """Return the engine's scenario of a file. Raises ScenarioError."""
    run = {name: value for name, value in body.items() if name not in STORY_ONLY}
    run["title"] = in_language(story.title, "en")[:MAX_TITLE]
    phases = expand_phases(story.workload)
    if phases and isinstance(run.get("commands", []), list):
        # Sorting is stable: what was written by hand comes first among equal times.
        every = [*door().check(run)["commands"], *phases]
        run["commands"] = sorted(every, key=lambda each: each["at_us"])
    return door().check(run)


def _late(story: ScenarioStory, until_us: int) -> Iterator[tuple[str, PageMessage]]:
    moments: list[tuple[str, int | None]] = []
    for name in ("annotations", "breakpoints", "claims"):
        moments += [(f"{name}[{at}].at_us", each.at_us) for at, each in enumerate(getattr(story, name))]
    if story.prediction:
        moments.append(("prediction.at_us", story.prediction.at_us))
    if story.verdict:
        moments.append(("verdict.evidence_at_us", story.verdict.evidence_at_us))
    text = _("%(path)s must be at most %(most)s, where the run ends.")
    for path, at_us in moments:
        if at_us is not None and at_us > until_us:
            yield path, PageMessage(text, path=path, most=until_us)


ADDRESS: Final = "/schema/scenario-v1.json"
STORAGE: Final[dict[str, Any]] = {
    each.storage.settings.__name__: each.storage.settings for each in RELEASES.values()
}
"""The settings of each generation of storage, by their name in the schema."""
CHOSEN: Final = frozenset().union(*(each.storage.chosen for each in RELEASES.values()))
"""Those of them that a scenario may choose."""


@cache
def schema() -> dict[str, Any]:
    run_type = scenarios._Raw  # noqa: SLF001
    types = (ScenarioStory, run_type, *commands.KINDS.values(), Microseconds, NodeSettings, *STORAGE.values())
    _parts, definitions = msgspec.json.schema_components(types, ref_template="#/$defs/{name}")
    definitions = {name: _portable(value) for name, value in definitions.items()}
    story, run = definitions.pop("ScenarioStory"), definitions.pop("_Raw")
    timed = _timed(definitions)
    run["properties"]["profile"] = {"enum": sorted(PROFILES)}
    run["properties"]["version"] = {"const": PRESENT}
    run["properties"]["commands"]["items"] = {"$ref": "#/$defs/TimedCommand"}
    run["properties"]["settings"] = _settings(definitions)
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": ADDRESS,
        "title": "Waterline scenario, version 1",
        "description": "A run of a RabbitMQ classic queue, and the story around it. Times are virtual microseconds.",
        "type": "object",
        "properties": {**run["properties"], **story["properties"]},
        "required": run["required"],
        "additionalProperties": False,
        "$defs": {**definitions, "TimedCommand": timed},
    }


def _timed(definitions: dict[str, Any]) -> dict[str, Any]:
    """Give every command its time, and the virtual host that it may name."""
    hosts = {kind.__name__ for kind in commands.KINDS.values() if base.in_a_host(kind)}
    verbs = [name for name, value in definitions.items() if "do" in value.get("properties", {})]
    for name in verbs:
        properties = definitions[name]["properties"]
        definitions[name]["properties"] = {
            "at_us": _portable({"type": "integer", "minimum": 0}),
            **properties,
            **({base.FIELD: _portable({"type": "string", "minLength": 1})} if name in hosts else {}),
        }
        definitions[name]["required"] = ["at_us", *definitions[name]["required"]]
    return {"oneOf": [{"$ref": f"#/$defs/{name}"} for name in sorted(verbs)]}


def _settings(definitions: dict[str, Any]) -> dict[str, Any]:
    """Every setting of the queue and the node, none of them required."""
    properties: dict[str, Any] = {RULES: {"enum": sorted(RELEASES)}}
    for name in STORAGE:
        chosen = definitions.pop(name)["properties"].items()
        properties |= {setting: value for setting, value in chosen if setting in CHOSEN}
    properties |= definitions.pop("NodeSettings")["properties"]
    for each in properties.values():
        each.pop("default", None)
    return {"type": "object", "properties": dict(sorted(properties.items())), "additionalProperties": False}


def _portable(value: Any) -> Any:
    r"""Write patterns as ECMAScript has them: `$` for Python's `\Z`."""
    if isinstance(value, dict):
        return {
            name: each.replace("\\Z", "$") if name == "pattern" and isinstance(each, str) else _portable(each)
            for name, each in value.items()
        }
    return [_portable(each) for each in value] if isinstance(value, list) else value
