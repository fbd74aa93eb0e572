"""Bytes of a chosen message: the run is repeated on real files, in the worker's own memory."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any, Final

from engine.replay import RunPlayer
from playground.hosting.file_records import NotThere, wanted
from playground.hosting.real_engine import door
from playground.hosting.refusals import missing_words

ROOT: Final = Path("/tmp/waterline-files")  # noqa: S108 - the worker's own memory, which nobody else reads
MOST_DISK_BYTES: Final = 96 * 1024 * 1024
MOST_VIRTUAL_US: Final = 24 * 3600 * 1_000_000
_made: dict[str, Any] = {}


def record(question: dict[str, Any]) -> dict[str, Any]:
    """Return a record of a file after that many transitions, field by field.

    Args:
        question: scenario, commands, number, and seq or file with offset.
    """
    kind = ""
    try:
        _make(question)
        with door().read_records(str(ROOT), question["scenario"]) as records:
            if question.get("seq") is not None:
                return dict(records.message(int(question["seq"])))
            kind, number = wanted(question.get("file", "")) or ("", 0)
            found = records.record(kind, number, int(question.get("offset", 0)))
            if found["seq"] is None and "whose" in question:
                found["seq"] = records.seq_of(bytes.fromhex(found["msg_id"]))
            return dict(found)
    except NotThere as missing:
        sentence = missing_words(missing, kind)[missing.reason]
        return {"waiting" if missing.reason in ("waiting", "absent") else "error": sentence}
    except door().full:
        return {"error": missing_words(NotThere("too_long"), kind)["too_long"]}


def _make(question: dict[str, Any]) -> None:
    """Repeat the run up to the moment, unless the files of that moment are there."""
    asked = {name: question[name] for name in ("scenario", "commands", "number")}
    if _made == asked:
        return
    _made.clear()
    shutil.rmtree(ROOT, ignore_errors=True)
    ROOT.mkdir(parents=True)
    node, files = door().open(question["scenario"], str(ROOT), MOST_DISK_BYTES)
    try:
        player = RunPlayer(node, [tuple(each) for each in question["commands"]])
        for piece in player.play_to(question["number"], MOST_VIRTUAL_US):
            if piece.last:
                break
    finally:
        files.close()
    if node.log.number < question["number"]:
        raise NotThere("future")
    _made.update(asked)
