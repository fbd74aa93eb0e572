"""Values as JavaScript source, in the project's own style."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any, Final

HEAD: Final = (
    "/** {about}\n *\n * Written by `manage.py catalogue` from {source}: change that, not this file. */\n"
)

_NAME: Final = re.compile(r"[A-Za-z_$][\w$]*\Z")


def head(about: str, source: str) -> str:
    """Return the comment at the top of a generated module."""
    return HEAD.format(about=about, source=source)


def literal(value: Any) -> str:
    """Return plain data as one line of JavaScript; names stand without quotes where they can."""
    if isinstance(value, Mapping):
        inside = ", ".join(f"{key(name)}: {literal(each)}" for name, each in value.items())
        return f"{{ {inside} }}" if inside else "{}"
    if isinstance(value, list | tuple):
        return f"[{', '.join(literal(each) for each in value)}]"
    return json.dumps(value, ensure_ascii=False)


def key(name: str) -> str:
    return name if _NAME.match(name) else json.dumps(name)


def table(name: str, about: str, rows: Mapping[str, Any], type_: str) -> str:
    """Return an exported object, one line for each of `rows`, whose values have this type."""
    lines = "".join(f"  {key(each)}: {literal(value)},\n" for each, value in rows.items())
    return f"\n{comment(about, type_)}export const {name} = {{\n{lines}}};\n"


def comment(about: str, type_: str) -> str:
    """Return the comment before a table: what it is, and the type of its values."""
    return f"/**\n * {about}\n * @type {{Record<string, {type_}>}}\n */\n"
