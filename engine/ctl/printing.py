"""How rabbitmqctl prints values, tables and JSON."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Final

from engine.amqp.arguments import amqp_type
from engine.ctl.request import Request


class Term:
    """A value that is printed as this text, such as an Erlang term."""

    def __init__(self, text: str) -> None:
        self.text = text

    @property
    def in_json(self) -> Any:
        return self.text


class PrintedDefinition(Term):
    """A policy's definition as a list of pairs; the release's own word if there is none."""

    def __init__(self, fields: Mapping[str, Any], none: str) -> None:
        pairs = ", ".join(f'{{<<"{name}">>, {_binary(value)}}}' for name, value in fields.items())
        super().__init__(f"[{pairs}]" if fields else none)
        self._in_json: Any = [[*pair] for pair in fields.items()] if fields else {"#{}": {}}.get(none, [])

    @property
    def in_json(self) -> Any:
        return self._in_json


def _binary(value: Any) -> str:
    return f'<<"{value}">>' if isinstance(value, str) else plain(value)


class Pid(Term):
    """A process of a node."""

    def __init__(self, node: str, number: int) -> None:
        super().__init__(f"<{node}.1.{number}.0>")
        self._number = number

    @property
    def in_json(self) -> str:
        """Return it as the command line sees it: with a number for the node."""
        return f"#PID<1.{self._number}.0>"


def erlang_float(value: float) -> str:
    """Return a float as Erlang prints it: 1.0e-6, not 1e-06."""
    mantissa, e, exponent = repr(value).partition("e")
    if not e:
        return mantissa
    return f"{mantissa if '.' in mantissa else mantissa + '.0'}e{int(exponent)}"


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
    if isinstance(value, float):
        return erlang_float(value)
    return erlang_table(value) if isinstance(value, Mapping) else str(value)


def _for_json(value: Any, json_pid: str) -> Any:
    if isinstance(value, Pid):
        return json_pid.format(value.in_json)
    if isinstance(value, Term):
        return value.in_json
    if isinstance(value, Mapping):
        return [[name, amqp_type(each), each] for name, each in value.items()]
    return "" if value is None else value


def _csv(columns: Sequence[str], rows: Sequence[Sequence[Any]]) -> str:
    return "".join(
        ",".join('"' + plain(value).replace('"', '""') + '"' for value in row) + "\n"
        for row in [columns, *rows]
    )


def _pretty_table(columns: Sequence[str], rows: Sequence[Sequence[Any]]) -> str:
    lines = [[*columns], *([plain(value) for value in row] for row in rows)]
    widths = [max(map(len, cells)) for cells in zip(*lines, strict=True)]
    bars = ["\u2500" * (width + 2) for width in widths]
    texts = [
        "\u2502"
        + "\u2502".join(f" {cell:<{width}} " for cell, width in zip(line, widths, strict=True))
        + "\u2502"
        for line in lines
    ]
    top, middle, bottom = ("\u250c\u252c\u2510", "\u251c\u253c\u2524", "\u2514\u2534\u2518")
    frames = [each[0] + each[1].join(bars) + each[2] for each in (top, middle, bottom)]
    inner = f"\n{frames[1]}\n".join(texts)
    return f"{frames[0]}\n{inner}\n{frames[2]}\n"


def _erlang_rows(columns: Sequence[str], rows: Sequence[Sequence[Any]]) -> str:
    terms = (
        "[" + ",".join(f"{{{name},{_term(value)}}}" for name, value in zip(columns, row, strict=True)) + "]"
        for row in rows
    )
    return f"[{','.join(terms)}]\n"


def _term(value: Any) -> str:
    if isinstance(value, str) or value is None:
        return f'<<"{value or ""}">>'
    return plain(value)


PRINTERS: Final[Mapping[str, Callable[[Sequence[str], Sequence[Sequence[Any]]], str]]] = {
    "csv": _csv,
    "pretty_table": _pretty_table,
    "erlang": _erlang_rows,
}
"""Printers of rows in forms other than tabs or JSON."""


def print_rows(request: Request, columns: Sequence[str], rows: Iterable[Sequence[Any]]) -> str:
    """Return rows as a table with tabs, or as JSON."""
    if request.formatter in PRINTERS:
        return PRINTERS[request.formatter](columns, list(rows))
    if request.formatter == "json":
        json_pid = request.facts.json_pid
        texts = [
            json.dumps(
                {name: _for_json(each, json_pid) for name, each in zip(columns, row, strict=True)},
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
