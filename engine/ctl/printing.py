"""How rabbitmqctl prints values, tables and JSON."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from engine.amqp.arguments import amqp_type
from engine.ctl.request import Request


class Term:
    """A value that is printed as this text, such as an Erlang term."""

    def __init__(self, text: str) -> None:
        self.text = text


def erlang_table(fields: Mapping[str, Any]) -> str:
    """Return x-arguments as rabbitmqctl prints them in a table."""
    return "[" + ",".join(f'{{"{name}",{_element(value)}}}' for name, value in fields.items()) + "]"


def _element(value: Any) -> str:
    return f'"{value}"' if isinstance(value, str) else plain(value)


def plain(value: Any) -> str:
    """Return one value of a table."""
    if isinstance(value, Term):
        return value.text
    if isinstance(value, bool):
        return "true" if value else "false"
    if value is None:
        return ""
    return erlang_table(value) if isinstance(value, Mapping) else str(value)


def _for_json(value: Any) -> Any:
    if isinstance(value, Term):
        return value.text
    if isinstance(value, Mapping):
        return [[name, amqp_type(each), each] for name, each in value.items()]
    return "" if value is None else value


def print_rows(request: Request, columns: Sequence[str], rows: Iterable[Sequence[Any]]) -> str:
    """Return rows as a table with tabs, or as JSON."""
    if request.options.get("formatter") == "json":
        texts = [
            json.dumps(
                dict(zip(columns, map(_for_json, row), strict=True)),
                separators=(",", ":"),
                ensure_ascii=False,
            )
            for row in rows
        ]
        return "[\n" + "\n,".join(texts) + ("\n]\n" if texts else "]\n")
    lines = ["\t".join(map(plain, row)) for row in rows]
    if lines and not request.options.keys() & {"silent", "no-table-headers"}:
        lines.insert(0, "\t".join(columns))
    return "".join(f"{line}\n" for line in lines)
