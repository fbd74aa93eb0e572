"""The small figures beside claims: what leads to each moment is a file, one for all languages."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping
from itertools import islice
from pathlib import Path
from typing import Final

from playground.hosting.real_engine import door
from playground.library import ready_scenarios
from playground.storybook.stage_picture import leads_to

FOLDER: Final = "data/leads"
"""Where they lie in an edition."""
_ASKED: Final = re.compile(r' data-lead="/r/([2-9a-z]+)/lead\.json\?at=(\d+)"')
_LEAD: Final = re.compile(r"/r/([2-9a-z]+)/lead\.json")

Moment = tuple[str, int]
"""A link's name, and virtual microseconds."""


def moments(html: str) -> set[Moment]:
    """Return the moments of which a page of the server has figures."""
    return {(short_id, int(at_us)) for short_id, at_us in _ASKED.findall(html)}


def lead_file(path: str, query: str) -> str | None:
    """Return the file of a figure below the folder of a language, None where the address is of none.

    Args:
        path: of the server.
        query: with the moment, as `?at=5`.
    """
    found = _LEAD.fullmatch(path)
    return f"../{FOLDER}/{found[1]}-{query.removeprefix('?at=')}.json" if found else None


def write_leads(
    out: Path, wanted: Iterable[Moment], names: Mapping[str, str], most_runs: int | None = None
) -> frozenset[Path]:
    """Play each run once for all its moments, and write what leads there, as the server answers it.

    Args:
        out: the edition.
        wanted: the moments.
        names: the slugs of ready scenarios by the names of their links.
        most_runs: how many of the runs are played; all unless given.

    Returns the files that are not written for that.
    """
    folder = out / FOLDER
    folder.mkdir(parents=True, exist_ok=True)
    runs = {entry.slug: entry.run for entry in ready_scenarios.entries()}
    of_runs: defaultdict[str, list[int]] = defaultdict(list)
    for short_id, at_us in sorted(wanted):
        of_runs[short_id].append(at_us)
    for short_id, moments_us in islice(of_runs.items(), most_runs):
        run = runs[names[short_id]]
        led = leads_to(door(), run, [min(at_us, run["until_us"]) for at_us in moments_us])
        for at_us in moments_us:
            _file(folder, short_id, at_us).write_bytes(led[min(at_us, run["until_us"])])
    left_out = islice(of_runs.items(), most_runs, None) if most_runs is not None else ()
    return frozenset(_file(folder, short_id, at_us) for short_id, each in left_out for at_us in each)


def _file(folder: Path, short_id: str, at_us: int) -> Path:
    return folder / f"{short_id}-{at_us}.json"
