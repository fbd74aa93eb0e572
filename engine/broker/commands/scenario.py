"""Scenario v1: everything that decides a run. The same scenario gives the same digest everywhere (promise 1)."""

from __future__ import annotations

from typing import Annotated, Any, Final

import msgspec

from engine.backing_queue.host_files import StorageSettings
from engine.broker.commands import commands
from engine.broker.commands.commands import AnyCommand
from engine.broker.commands.settings import NodeSettings, release_of, resolve
from engine.broker.commands.topology import Topology
from engine.broker.commands.validation import refused
from engine.values.errors import CommandError, ScenarioError

VERSION: Final = 1
MAX_COMMANDS: Final = 10_000
MAX_UNTIL_US: Final = 24 * 3600 * 1_000_000
MAX_JSON_BYTES: Final = 2_000_000


class TimedCommand(msgspec.Struct, frozen=True):
    """A command and when it is given, in virtual microseconds."""

    at_us: int
    command: AnyCommand


class _Raw(msgspec.Struct, forbid_unknown_fields=True):
    version: int
    profile: str
    title: Annotated[str, msgspec.Meta(max_length=200)] = ""
    settings: dict[str, Any] = {}
    topology: Topology | None = None
    seed: Annotated[int, msgspec.Meta(ge=0, le=2**53 - 1)] = 1
    commands: Annotated[list[dict[str, Any]], msgspec.Meta(max_length=MAX_COMMANDS)] = []
    until_us: Annotated[int, msgspec.Meta(ge=0, le=MAX_UNTIL_US)] = 60_000_000
    digest: Annotated[str, msgspec.Meta(pattern=r"^[0-9a-f]{32}\Z")] | None = None


class RefusedCommand(msgspec.Struct, frozen=True):
    """A command of the scenario that could not be done when its time came."""

    at_us: int
    command: AnyCommand
    message: str


class ParsedScenario(msgspec.Struct, frozen=True, kw_only=True):
    """One run: profile, settings, seed and timed commands.

    Args:
        profile: a word of `engine.releases.PROFILES`.
        settings: what differs from the profile, by the names of NodeSettings and of the storage's settings.
        topology: what is declared before the first command; None for one queue called orders.
        commands: ascending by time; equal times keep their order.
        until_us: where the run ends.
        digest: of the transitions up to `until_us`, when known.
    """

    title: str = ""
    profile: str = "classroom"
    settings: dict[str, Any] = {}
    topology: Topology | None = None
    seed: int = 1
    commands: tuple[TimedCommand, ...] = ()
    until_us: int = 60_000_000
    digest: str | None = None

    def resolved(self) -> tuple[StorageSettings, NodeSettings]:
        """Return the settings of the run."""
        return resolve(self.profile, self.settings)

    def to_json(self) -> dict[str, Any]:
        """Return the canonical JSON object."""
        return {
            "version": VERSION,
            "title": self.title,
            "profile": self.profile,
            "settings": dict(sorted(self.settings.items())),
            **({} if self.topology is None else {"topology": self.topology.to_json()}),
            "seed": self.seed,
            "commands": [{"at_us": each.at_us, **commands.to_json(each.command)} for each in self.commands],
            "until_us": self.until_us,
            "digest": self.digest,
        }

    def encode(self) -> bytes:
        """Return the canonical JSON text."""
        return msgspec.json.encode(self.to_json())


def parse(data: bytes | str | dict[str, Any]) -> ParsedScenario:
    """Return a scenario from its JSON text or object.

    Raises ScenarioError that names the place for anything unknown, malformed or out of bounds.
    """
    if isinstance(data, bytes | str):
        if len(data) > MAX_JSON_BYTES:
            raise ScenarioError("scenario_too_large", most=MAX_JSON_BYTES, count=len(data))
        try:
            data = msgspec.json.decode(data)
        except msgspec.DecodeError as error:
            raise ScenarioError("no_json", why=error) from error
    if not isinstance(data, dict):
        raise ScenarioError("no_object")
    if data.get("version") != VERSION:
        raise ScenarioError("other_version", version=VERSION)
    try:
        raw = msgspec.convert(data, _Raw)
    except msgspec.ValidationError as error:
        raise refused(ScenarioError, error) from error
    resolve(raw.profile, raw.settings)
    if raw.topology is not None:
        raw.topology.check(release_of(raw.profile, raw.settings).amqp.validation)
    timed = tuple(_timed(number, each) for number, each in enumerate(raw.commands))
    for number, each in enumerate(timed):
        if each.at_us > raw.until_us:
            raise ScenarioError("after_the_end", place=f"commands[{number}].at_us", most=raw.until_us)
        if number and each.at_us < timed[number - 1].at_us:
            raise ScenarioError("out_of_order", number=number)
    return ParsedScenario(
        title=raw.title,
        profile=raw.profile,
        settings=raw.settings,
        topology=raw.topology,
        seed=raw.seed,
        commands=timed,
        until_us=raw.until_us,
        digest=raw.digest,
    )


def _timed(number: int, command: dict[str, Any]) -> TimedCommand:
    rest = dict(command)
    at_us = rest.pop("at_us", None)
    if isinstance(at_us, bool) or not isinstance(at_us, int) or at_us < 0:
        raise ScenarioError("no_time", place=f"commands[{number}].at_us")
    try:
        return TimedCommand(at_us, commands.parse(rest))
    except CommandError as error:
        raise error.inside(f"commands[{number}]: ", ScenarioError) from error
