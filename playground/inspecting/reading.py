"""The answers to the page Inspect for what a reader gave: the same from a server and in the reader's browser."""

from __future__ import annotations

import contextlib
from typing import Any, Final, Protocol

import msgspec

from engine.inspect.directory_kinds import STORES
from playground.inspecting import (
    again,
    configuration,
    definitions,
    other_text,
    rehearsal,
    revival,
    summary,
    ways,
)
from playground.inspecting.choice import USUAL, ReleaseChoice
from playground.inspecting.listing import figures
from playground.inspecting.listing.rows import REPORT
from playground.inspecting.revival import QueueRevival
from playground.inspecting.unreadable import UnreadableInput
from playground.inspecting.uploads import Files
from playground.texts.pasted_text import bare_text

Answer = dict[str, Any]
KnownReports = dict[str, Answer]
"""By the directory of a virtual host; of files of a single one, by nothing."""
MOST_LEFT_OUT: Final = 200
"""Names of files that were not read."""


class ReadingSteps(Protocol):
    """Is told what is done now."""

    def __call__(self, step: str, **values: Any) -> None:
        """Take note of a step: `reading` with path, done and size in bytes; `starting`; `answering`."""


def _ignore(step: str, **values: Any) -> None:
    """Nobody asks how far it is."""


def listing(text: str) -> Answer:
    """Return the figures of a pasted listing, the settings of a configuration, or the topology of definitions.

    Raises:
        Unreadable: it is none of them; the code says what it is.
    """
    text = bare_text(text)
    if definitions.BEGINS.match(text):
        return topology(text.encode(errors="replace"))
    try:
        found: Answer = msgspec.to_builtins(figures.read(text))
        if REPORT.search(text):
            with contextlib.suppress(UnreadableInput):
                found["environment"] = msgspec.to_builtins(configuration.read(text))
    except UnreadableInput as without:
        try:
            found = msgspec.to_builtins(configuration.read(text))
        except UnreadableInput as bad:
            raise (
                without if without.code != bad.code else other_text.refusal(text[: configuration.MOST_CHARS])
            ) from bad
    return found


def topology(data: bytes) -> Answer:
    """Return definitions.json as a scenario, and the parts of the file that are not played."""
    found: Answer = msgspec.to_builtins(definitions.read(data))
    return found


def directory(
    files: Files,
    choice: ReleaseChoice = USUAL,
    steps: ReadingSteps = _ignore,
    known: KnownReports | None = None,
) -> tuple[Answer, QueueRevival | None]:
    """Return the report on a broker's files, and the start on them where there is a queue to start.

    Args:
        files: what was given.
        choice: which virtual host is meant, and which release starts on its files.
        steps: is told how far it is.
        known: reports on the same files by virtual host, which gets those that are made.
    """
    known = {} if known is None else known
    files, flags, definitions = without_beside(files)
    several = revival.vhost_directories(files)
    if len(several) > 1:
        if choice.vhost not in several:
            rows = []
            for each in several:
                part = revival.of_vhost(files, each)
                rows.append(_vhost_row(each, _report_on(known, each, part, choice, flags, steps)))
            return {"vhosts": rows}, None
        files = revival.of_vhost(files, choice.vhost)
    report = _report_on(known, choice.vhost if len(several) > 1 else "", files, choice, flags, steps)
    steps("starting")
    revived = revival.revive(files, report, choice, definitions)
    source = rehearsal.source_of(report, choice)
    target = rehearsal.target_of(source, choice.target)
    rehearsed: list[Answer] = []
    orderly: Answer | None = None
    if revived is not None and choice.stopped and target is None:
        revived = revival.start(rehearsal.stopping(revived))
    elif revived is not None and target is not None:
        found = rehearsal.in_order(revived)[0] if choice.stopped else revived
        revived = found and revival.start(rehearsal.upgraded(found, source, target, choice))
    started = revived is not None and revived.state is not None
    plain = target is None and not choice.stopped
    if revived is not None and started and plain:
        rehearsed, orderly = rehearsal.rehearse(revived, report, flags, choice, steps)
    if revived is not None:
        revived.decoded.forget()
    steps("answering")
    stores = summary.store_rows(report, revived)
    return {
        "kind": report["kind"],
        "source": source,
        "target": target.name if target else "",
        "release": summary.release_of(report),
        "queues": summary.queue_rows(report, revived),
        "stores": stores,
        "collector": summary.collector_row(source.partition("-")[0], stores),
        "stop": summary.stop_row(report, files),
        "unowned": summary.unowned_rows(report),
        "damage": summary.damage_rows(report, files),
        "damage_more": max(0, len(report["damage"]) - summary.MOST_DAMAGE) + report["damage_more"],
        "files": summary.file_rows(files),
        "files_more": max(0, len(files) - summary.MOST_LISTED),
        "stopped": choice.stopped,
        "orderly": orderly,
        "upgrades": rehearsed,
        "failure": revived.failure if revived else None,
        "unplayed": revived.unplayed if revived else None,
        "not_shown": revived.not_shown if revived else 0,
        "begun": again.scenario(report, revived) if started else None,  # type: ignore[arg-type]
        "started": started and rehearsal.shown(revived.shown),  # type: ignore[union-attr,arg-type]
    }, revived


def _report_on(
    known: KnownReports,
    vhost: str,
    files: Files,
    choice: ReleaseChoice,
    flags: bytes | None,
    steps: ReadingSteps,
) -> Answer:
    """Return the report on the files of a virtual host, which are read where it is not known yet."""
    if vhost not in known:
        known[vhost] = revival.report_on(files, steps, choice.entries, ways.series_of(flags))
    return known[vhost]


def without_beside(files: Files) -> tuple[Files, bytes | None, bytes | None]:
    """Return the files of a directory, and what lies beside it: its node's list of feature flags, and definitions."""
    lists = [path for path in files if path.endswith("-feature_flags")]
    defined = [path for path in files if path.endswith(".json")]
    beside = [*lists, *defined]
    if not beside:
        return files, None, None
    rest = {path: data for path, data in files.items() if path not in beside}
    tops = {path.partition("/")[0] for path in rest if "/" in path}
    below = len(tops) == 1 and tops.isdisjoint(("queues", "msg_stores", *STORES))
    if below and all("/" in path for path in rest) and any("/" not in path for path in beside):
        rest = {path.partition("/")[2]: data for path, data in rest.items()}
    return rest, files[lists[0]] if lists else None, files[defined[0]] if defined else None


def names_left_out(names: list[str]) -> Answer:
    return {"left_out": names[:MOST_LEFT_OUT], "left_out_count": len(names)}


def _vhost_row(directory: str, report: Answer) -> Answer:
    vhost = report["vhosts"][0]
    return {
        "dir": directory,
        "name": vhost["vhost"],
        "queues": len(vhost["queues"]),
        "live": sum(each["lasting_messages"] for each in vhost["queues"]),
        "damage": len(report["damage"]),
    }


def run(revived: QueueRevival) -> list[Any]:
    """Return the start as the messages that a page plays, in parts."""
    return [msgspec.json.decode(part) for part in revived.messages]
