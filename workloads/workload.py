"""A workload: a scenario under a name, checked by the engine."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final, Literal

import msgspec

from engine.broker.commands.scenario import parse
from engine.values.errors import ScenarioError
from workloads.errors import WorkloadError

Scenario = dict[str, Any]
"""A scenario as JSON (version 1): profile, settings, seed, timed commands."""

Source = Literal["shipped", "library", "session", "import"]
SOURCES: Final[tuple[Source, ...]] = ("shipped", "library", "session", "import")
"""Where a workload comes from: this project, the app's library, a recorded session, somebody's own log."""


MOST_FILE_BYTES: Final = 256 * 1024**2
"""Of a file with a workload: some hundred million messages with sizes of their own."""


class Workload(msgspec.Struct, frozen=True, kw_only=True):
    """A scenario under a name.

    Args:
        name: lower case, digits and hyphens.
        title: one line for people.
        scenario: complete, as the engine writes it.
        source: where it comes from.
    """

    name: str
    title: str
    scenario: Scenario
    source: Source = "import"

    @property
    def workload_id(self) -> str:
        """16 hexadecimal digits that stand for what happens in it, whatever it is called."""
        content = {key: value for key, value in self.scenario.items() if key not in {"title", "digest"}}
        text = msgspec.json.encode(content, order="deterministic")
        return hashlib.sha256(text).hexdigest()[:16]


def checked(name: str, scenario: bytes | Scenario, source: Source = "import") -> Workload:
    """Return a workload whose scenario the engine accepts.

    Raises:
        WorkloadError: it does not; the code and the parameters are the engine's.
    """
    try:
        parsed = parse(scenario)
    except ScenarioError as error:
        raise error.inside("", WorkloadError) from None
    return Workload(name=name, title=parsed.title or name, scenario=parsed.to_json(), source=source)


def read_file(path: Path, source: Source = "import") -> Workload:
    """Return the workload of a scenario file; its name is the file's.

    Raises:
        WorkloadError: the file is missing or no scenario.
    """
    try:
        data = path.read_bytes()
        if len(data) > MOST_FILE_BYTES:
            raise WorkloadError("workload_file_too_large", most=MOST_FILE_BYTES)
        # Decoded here: a scenario of somebody's log is larger than what travels as a link (2 MB).
        return checked(path.stem, msgspec.json.decode(data, type=dict), source)
    except FileNotFoundError:
        raise WorkloadError("workload_file_missing", path=path) from None
    except msgspec.DecodeError as error:
        raise WorkloadError("no_json", f"{path}: ", why=error) from None
    except WorkloadError as error:
        raise error.inside(f"{path}: ", WorkloadError) from None


def read_directory(path: Path, source: Source = "import") -> tuple[Workload, ...]:
    """Return the workloads of every `*.json` of a directory, in the order of names."""
    return tuple(read_file(file, source) for file in sorted(path.glob("*.json")))


SHIPPED: Final = Path(__file__).resolve().parent / "shipped"
"""The workloads that come with the project, one scenario file each."""


def shipped() -> tuple[Workload, ...]:
    """Return the workloads that come with the project."""
    return read_directory(SHIPPED, "shipped")


def messages(scenario: Scenario) -> int:
    """Return about how many messages a scenario publishes: enough to balance tasks, not to promise a time."""
    in_bursts = sum(each.get("count", 1) for each in scenario["commands"] if each["do"] == "publish")
    at_rates = sum(
        (each.get("rate_per_s") or 0.0) * seconds for each, seconds in at_work(scenario, "set_publisher")
    )
    return max(1, round(in_bursts + at_rates))


def at_work(scenario: Scenario, verb: str) -> Iterator[tuple[dict[str, Any], float]]:
    """Yield the commands that let publishers or consumers work, with the seconds that each of them holds.

    Args:
        scenario: the workload.
        verb: `set_publisher` or `set_consumer`.
    """
    until_us = scenario["until_us"]
    working: dict[str, tuple[int, dict[str, Any]]] = {}
    changes = [each for each in scenario["commands"] if each["do"] in {verb, "remove"}]
    for command in sorted(changes, key=lambda each: each.get("at_us", 0)):
        at_us, name = min(command.get("at_us", 0), until_us), command.get("name", "")
        if name in working:
            since_us, before = working.pop(name)
            yield before, (at_us - since_us) / 1e6
        if command["do"] == verb and command.get("running", True):
            working[name] = at_us, command
    for since_us, command in working.values():
        yield command, (until_us - since_us) / 1e6
