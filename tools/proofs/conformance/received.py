"""What reached each member in a step, in the form of a mirror story (`wire`)."""

from __future__ import annotations

from typing import Any

from engine.mirrored_queue import instructions as to_do


class Received:
    """Instructions, copies of channels and questions by node."""

    def __init__(self) -> None:
        self.begin()

    def begin(self) -> None:
        """Begin a step."""
        self._gm: dict[str, list[list[Any]]] = {}
        self._counts: dict[str, dict[str, Any]] = {}

    def count(self, node: str, kind: str, what: Any) -> None:
        """Note copies of a channel (direct), or how a mirror's depth differed when it was asked (sync_asked)."""
        counts = self._counts.setdefault(node, {})
        if kind == "direct":
            counts[kind] = counts.get(kind, 0) + what
        else:
            counts.setdefault(kind, []).append(what)

    def instruction(self, node: str, instruction: to_do.MirrorInstruction) -> None:
        """Note what a member's multicast callback was given; runs of equal instructions are one."""
        runs = self._gm.setdefault(node, [])
        for row in _rows(instruction):
            last = runs[-1] if runs else None
            if last is None or not _join(last, row):
                runs.append(row)

    def shown(self) -> dict[str, dict[str, Any]]:
        """Return everything by node."""
        nodes = sorted({*self._gm, *self._counts})
        return {
            node: {**({"gm": self._gm[node]} if self._gm.get(node) else {}), **self._counts.get(node, {})}
            for node in nodes
        }


def _rows(instruction: to_do.MirrorInstruction) -> list[list[Any]]:
    row: list[Any] | None = None
    match instruction:
        case to_do.PublishInstruction(arrival):
            row = ["publish", "flow", arrival.count]
        case to_do.PublishDeliveredInstruction(arrival):
            row = ["publish_delivered", "flow", arrival.count]
        case to_do.DiscardInstruction(arrival):
            row = ["discard", "flow", arrival.count]
        case to_do.DropInstruction(left, each, runs, ack):
            row = ["drop", instruction.first_left, left, each, ack, runs]
        case to_do.AckInstruction(_, runs):
            row = ["ack", instruction.count // runs, runs]
        case to_do.RequeueInstruction(_, runs):
            row = ["requeue", instruction.count // runs, runs]
        case to_do.DepthInstruction(depth):
            row = ["depth", depth, 1]
        case to_do.SyncStartInstruction(mirrors):
            row = ["sync_start", len(mirrors), 1]
        case to_do.DeleteInstruction(reason):
            row = ["delete_and_terminate", reason, 1]
    return [] if row is None else [row]


def _join(last: list[Any], row: list[Any]) -> bool:
    """Let a row go on in the one before, if it does; drops of one message with falling length are one run."""
    if row[0] == "drop" and last[0] == "drop":
        if last[3:5] != row[3:5]:
            return False
        if row[3] == 1 and last[2] - 1 == row[1]:
            last[2] = row[2]
            last[5] += row[5]
            return True
        if last[1] == last[2] == row[1] == row[2]:
            last[5] += row[5]
            return True
        return False
    if last[:-1] == row[:-1]:
        last[-1] += row[-1]
        return True
    return False
