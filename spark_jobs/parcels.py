"""What the executors get of cells: the commands of a workload once, as Arrow, and of each cell what is its own.

A log of a million messages is some megabytes of commands, and a sweep has hundreds of cells of it, which differ in a
setting or in one command. So the commands of each workload's first cell are broadcast, and a cell brings those that are
not the same.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import Any, Final

import msgspec
import pyarrow as pa

from sweeps.cell import Cell

SHARED: Final = pa.schema([pa.field("commands", pa.large_binary(), nullable=False)])
"""One row for each workload: its commands as JSON."""

Commands = list[dict[str, Any]]


class Parcel(msgspec.Struct, frozen=True):
    """A cell without what it shares.

    Args:
        cell: with a scenario that has no commands of its own.
        shared: the row of its workload's commands.
        own: the commands that differ, by their place; all of them where their number differs.
    """

    cell: Cell
    shared: int
    own: dict[int, dict[str, Any]] | list[dict[str, Any]]


def packed(cells: Sequence[Cell]) -> tuple[bytes, list[bytes]]:
    """Return what is broadcast, and a text for each cell."""
    shared: dict[str, tuple[int, Commands]] = {}
    texts: list[bytes] = []
    for cell in cells:
        commands: Commands = cell.scenario["commands"]
        number, base = shared.setdefault(cell.workload, (len(shared), commands))
        own: dict[int, dict[str, Any]] | Commands = commands
        if len(commands) == len(base):
            pairs = enumerate(zip(commands, base, strict=True))
            own = {at: mine for at, (mine, theirs) in pairs if mine is not theirs and mine != theirs}
        bare = msgspec.structs.replace(cell, scenario={**cell.scenario, "commands": []})
        texts.append(msgspec.json.encode(Parcel(bare, number, own)))
    rows = [{"commands": msgspec.json.encode(commands)} for _number, commands in shared.values()]
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, SHARED) as stream:
        stream.write_table(pa.Table.from_pylist(rows, schema=SHARED))
    return sink.getvalue().to_pybytes(), texts


@functools.lru_cache(maxsize=1)
def _commands(shared: bytes) -> list[Commands]:
    """Return each workload's commands; a worker decodes them once."""
    table = pa.ipc.open_stream(shared).read_all()
    return [msgspec.json.decode(each) for each in table.column("commands").to_pylist()]


def unpacked(shared: bytes, text: bytes | str) -> Cell:
    """Return the cell of a text that `packed` returned."""
    parcel = msgspec.json.decode(text, type=Parcel)
    if isinstance(parcel.own, list):
        commands = parcel.own
    else:
        commands = list(_commands(shared)[parcel.shared])
        for at, command in parcel.own.items():
            commands[at] = command
    cell = parcel.cell
    return msgspec.structs.replace(cell, scenario={**cell.scenario, "commands": commands})
