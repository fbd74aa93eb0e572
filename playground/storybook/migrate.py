"""Older forms of the scenario file, brought up to the present one step by step."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from django.utils.translation import gettext_lazy as _

from playground.texts.page_message import PageMessage

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
    new["version"] = 1
    new["profile"] = body.get("profile") or body.get("scale") or "classroom"
    commands = body.get("commands") or []
    if isinstance(commands, list):
        commands = [_command_from_0(each) for each in commands]
    new["commands"] = commands
    if "until_ms" in body:
        new["until_us"] = _thousandfold(body["until_ms"])
    new["digest"] = None  # the transitions of version 0 had another form
    return new


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
    path = parts.get("path")
    first = (
        path.partition(".")[0]
        if isinstance(path, str)
        else path[0]
        if isinstance(path, list) and path
        else ""
    )
    op = parts.get("op", "==")
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


STEPS: Final[dict[int, Callable[[Body], Body]]] = {0: _from_0}
"""From each older version to the next."""
PRESENT: Final = 1


def migrated(body: Body) -> tuple[Body, int]:
    """Return a file's object in the present version, and the version that it had.

    Raises TooNew for a version that is not known yet. What has no version stays as it is: the parser refuses it.
    """
    version = body.get("version")
    if isinstance(version, bool) or not isinstance(version, int):
        return body, PRESENT
    if version > PRESENT:
        raise TooNew(version)
    first = version
    while version in STEPS:
        body = STEPS[version](body)
        version = body["version"]
    return _with_present_claims(body), first
