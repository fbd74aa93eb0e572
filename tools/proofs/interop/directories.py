"""`python -m tools.proofs.interop.directories`: what Inspect says of directories of real nodes, and what they did."""

from __future__ import annotations

import argparse
import base64
import hashlib
import io
import json
import sys
import tarfile
import zlib
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from engine.damage import ReadingOptions
from engine.inspect.directory_kinds import inspect
from engine.storage.ledger import LedgerStorage
from playground.inspecting import reading, revival
from playground.inspecting.node_command import extracted, hosts_of
from playground.inspecting.readout import TakenOut
from playground.inspecting.revival import fill
from playground.inspecting.uploads import Files, ReleaseChoice, gathered

PLACE: Final = Path(__file__).resolve().parents[3] / "tests" / "recordings" / "directories"
TINY: Final = {
    "3.8.9-stop-basic": None,
    "3.10.8-stop-prio-ttl": None,
    "4.0.5-stop-beside": None,
    "dmg-4.3.6-stop": {"d00", "d02", "d22", "d24", "d26"},
    "dmg-3.10.8-kill": {"d14", "d28"},
}
"""The least of each kind."""
Figures = tuple[int | None, ...]


def directories(archive: bytes) -> dict[str, Files]:
    """Return the files of each directory, by the names that `answers.json` has; damage by kind and virtual host."""
    found: dict[str, Files] = defaultdict(dict)
    with tarfile.open(fileobj=io.BytesIO(archive), mode="r:xz") as packed:
        for member in packed:
            opened = packed.extractfile(member) if member.isfile() else None
            if opened is not None:
                parts = member.name.removeprefix("damage/").split("/")
                depth = 2 if member.name.startswith("damage/") else 1
                found["/".join(parts[:depth])]["/".join(parts[depth:])] = opened.read()
    return found


def as_of_node(files: Files, definitions: Mapping[str, Any] | None = None) -> Files:
    """Return the files of a virtual host where a node has them, with its flags and definitions beside."""
    placed = {
        path if path.endswith("-feature_flags") else f"rabbit@a/msg_stores/vhosts/{path}": data
        for path, data in files.items()
    }
    if definitions is not None:
        placed["definitions.json"] = json.dumps(definitions).encode()
    return gathered((path, [data]) for path, data in placed.items())


def differences(files: Files, recorded: Mapping[str, Any]) -> Iterator[tuple[str, str, Figures, Figures]]:
    """Yield (start, queue, what the real node had, what we say) for each comparison: count and redelivered.

    Args:
        files: of a virtual host.
        recorded: one of the directories of `answers.json`.
    """
    placed = as_of_node(files, {"queues": recorded["queues"]})
    by_day: dict[int, dict[str, Any]] = {}
    for start, found in recorded["starts"].items():
        target, _, orderly = start.partition("-")
        if found.get("refused"):
            [row] = [row for row in by_day[max(by_day)]["upgrades"] if row["target"] == target]
            yield start, "", (0,), (int(row["gate"]["accepted"]),)
            continue
        day = int(found["at"])
        answer = by_day.setdefault(day, reading.directory(placed, ReleaseChoice(day=day))[0])
        if start == "same":
            rows = {row["name"]: (row["back"], row["redelivered"]) for row in answer["queues"]}
        else:
            [upgrade] = [row for row in answer["upgrades"] if row["target"] == target]
            mine = [row["orderly"] if orderly else row for row in upgrade["queues"]]
            names = [row["name"] for row in upgrade["queues"]]
            rows = {name: (row["after"], row["redelivered"]) for name, row in zip(names, mine, strict=True)}
        for queue, real in found["queues"].items():
            yield start, queue, (real["count"], real["redelivered"]), rows.get(queue, (0, 0))


def handed_out(
    files: Files, recorded: Mapping[str, Any]
) -> Iterator[tuple[str, Sequence[Any], Sequence[Any]]]:
    """Yield (queue, what a consumer got, what `--extract` prints): ids, bytes, and a digest of all bodies.

    An expired message is marked so, and comes to the queue to which its own dead-letters it.

    Args:
        files: of a virtual host.
        recorded: one of the directories of `answers.json`.
    """
    start = recorded["starts"]["same"]
    storage: Any = LedgerStorage()
    fill(storage, reading.without_beside(as_of_node(files))[0])
    report = inspect(storage, ReadingOptions(list_most=0, digests=False))
    [host] = hosts_of(report)
    routes = revival.read(json.dumps({"queues": recorded["queues"]}).encode(), None)
    assert routes is not None
    in_node = report["kind"] == "node"
    printed = {
        queue: [*extracted(storage, host, in_node, queue, int(start["at"] * 1e6))]
        for queue in start["queues"]
    }
    for queue, real in start["queues"].items():
        mine = [each for each in printed[queue] if each["comes_back"]]
        for source, rows in printed.items():
            if queue in routes.queues.get(source, ()):
                mine += [each for each in rows if each.get("why") == "expired"]
        bodies = [base64.b64decode(each["body"]) for each in mine]
        yield (
            queue,
            (real["ids"], real["sizes"], real["crc32"]),
            ([each["properties"]["message_id"] for each in mine], [*map(len, bodies)], digest_of(bodies)),
        )


def digest_of(bodies: Sequence[bytes]) -> str:
    """Return the digest of bodies as the recordings have it."""
    return hashlib.sha256(json.dumps([zlib.crc32(each) for each in bodies]).encode()).hexdigest()


def of_damage(
    files: Files, real: Mapping[str, Sequence[int | None]]
) -> Iterator[tuple[str, Figures, Figures]]:
    """Yield (queue, what the real node had, what we say): listed, given by the first round, redelivered."""
    answer, started = reading.directory(as_of_node(files), ReleaseChoice(day=1_795_953_000))
    found: dict[str, TakenOut] = started.found if started is not None else {}
    if not real:
        yield "the node", (0,), (int(answer["failure"] is None),)
    for queue, figures in real.items():
        mine = found.get(queue) or next((each for own, each in found.items() if "/" in own), TakenOut(None))
        yield queue, tuple(figures), (mine.count, mine.given, mine.redelivered)


def main(argv: Sequence[str] | None = None) -> int:
    """Compare and print the table; return 0 only if nothing differs."""
    parser = argparse.ArgumentParser(prog="python -m tools.proofs.interop.directories", description=__doc__)
    parser.add_argument("--place", type=Path, default=PLACE, help="answers.json and directories.tar.xz")
    parser.add_argument("--tiny", action="store_true", help="the least of each kind")
    options = parser.parse_args(argv)
    answers = json.loads((options.place / "answers.json").read_text())
    kept = directories((options.place / "directories.tar.xz").read_bytes())
    equal: Counter[str] = Counter()
    all_of: Counter[str] = Counter()
    out_equal: Counter[str] = Counter()
    out_of: Counter[str] = Counter()
    wrong = []
    for name, recorded in answers["directories"].items():
        if name not in kept or (options.tiny and name not in TINY):
            continue
        for start, queue, real, mine in differences(kept[name], recorded):
            way = "same release" if start == "same" else f"to {start.partition('-')[0]}"
            kind = f"{recorded['release']}, {recorded['stop']}: {way}"
            all_of[kind] += 1
            equal[kind] += real == mine
            if real != mine:
                wrong.append(f"{name}, {start}, {queue!r}: real {real}, here {mine}")
        kind = f"{recorded['release']}, {recorded['stop']}: same release"
        for queue, got, printed in handed_out(kept[name], recorded):
            out_of[kind] += 1
            out_equal[kind] += got == printed
            if got != printed:
                wrong.append(f"{name}, handed out, {queue!r}: real {got}, here {printed}")
    for name, recorded in answers["damage"].items():
        for vhost in [*recorded["real"], *recorded["hangs_with"]]:
            if options.tiny and vhost not in (TINY.get(name) or ()):
                continue
            kind = f"{name.removeprefix('dmg-')}: kinds of damage"
            rows = [*of_damage(kept[f"{name}/{vhost}"], recorded["real"].get(vhost, {}))]
            all_of[kind] += 1
            equal[kind] += all(real == mine for _queue, real, mine in rows)
            wrong += [f"{name} {vhost}, {each}: real {a}, here {b}" for each, a, b in rows if a != b]
    print(f"{'comparison':44} {'equal':>6} {'of':>6} {'messages handed out equal':>26}")
    for kind, count in sorted(all_of.items()):
        out = f"{out_equal[kind]} of {out_of[kind]} queues" if out_of[kind] else ""
        print(f"{kind:44} {equal[kind]:6} {count:6} {out:>26}".rstrip())
    out = f"{out_equal.total()} of {out_of.total()} queues"
    print(f"{'all':44} {equal.total():6} {all_of.total():6} {out:>26}")
    print("\n".join(wrong))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
