"""manage.py import_workload: make a workload of somebody's own log."""

from __future__ import annotations

import codecs
import io
import json
import re
import sys
from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any, cast

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser

from workloads.errors import WorkloadError
from workloads.imports import KINDS, Imported, Options, parts
from workloads.imports.records import MOST_LINE_CHARACTERS
from workloads.workload import checked, messages

UTF_16 = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
"""How a file begins that PowerShell has written."""
NAME = re.compile(r"[a-z0-9][a-z0-9-]{0,59}")


class Command(BaseCommand):
    """The scenario lands under `var/workloads`; sweeps take it from there, and so does export_workloads."""

    help = (
        "Make a workload of a PerfTest command line (perf-test), a rabbitmq_tracing log (tracing), a Firehose capture "
        "(firehose), or a CSV of arrivals (csv). Nothing about people is kept: no user, host, payload or queue name."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        """Read the kind, the file, and what the log does not say."""
        parser.add_argument("kind", choices=sorted(KINDS))
        parser.add_argument(
            "files", nargs="+", help="the log, also in several files; - reads it from the standard input"
        )
        parser.add_argument("--name", required=True, help="lower case, digits and hyphens")
        parser.add_argument("--queue", help="the only queue to read, where the log has several")
        parser.add_argument("--consumer-rate", type=int, help="messages a second that a consumer takes")
        parser.add_argument(
            "--prefetch", type=int, default=100, help="of that consumer (default: %(default)s)"
        )
        parser.add_argument("--ram-bytes", type=int, help="RAM of the node (default: 512 MiB)")
        parser.add_argument(
            "--part-minutes",
            type=int,
            help="cut a long log: each part becomes a workload, NAME-1, NAME-2, ...",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        """Write the scenario and say what was made of the log."""
        if not NAME.fullmatch(options["name"]):
            raise CommandError("--name: use lower case letters, digits and hyphens; it becomes a file name")
        if options["part_minutes"] is not None and options["part_minutes"] < 1:
            raise CommandError("--part-minutes: use a whole number of minutes, 1 at least")
        asked = Options(
            queue=options["queue"],
            consumer_rate_per_s=options["consumer_rate"],
            prefetch=options["prefetch"],
            ram_bytes=options["ram_bytes"],
            part_s=None if options["part_minutes"] is None else options["part_minutes"] * 60,
        )
        reading = _Files(options["files"])
        try:
            for number, imported in enumerate(parts(options["kind"], reading, asked), start=1):
                name = options["name"] if asked.part_s is None else f"{options['name']}-{number}"
                self._write(name, imported)
        except WorkloadError as error:
            raise CommandError(f"{reading.path}: {error}") from error

    def _write(self, name: str, imported: Imported) -> None:
        workload = checked(name, imported.scenario)
        folder = settings.VAR_DIR / "workloads"
        folder.mkdir(parents=True, exist_ok=True)
        path = folder / f"{workload.name}.json"
        path.write_text(json.dumps(workload.scenario, indent=1) + "\n", encoding="utf-8")
        scenario = workload.scenario
        self.stdout.write(
            f"{path}: {len(scenario['commands'])} commands, about {messages(scenario)} messages in "
            f"{scenario['until_us'] / 1e6:g} s"
        )
        for remark in imported.remarks:
            self.stdout.write(f"  {remark}")


class _Files:
    """The lines of each file, opened when its turn comes; `path` is the one that is read."""

    def __init__(self, paths: Sequence[str]) -> None:
        self._paths = paths
        self.path = paths[0]

    def __iter__(self) -> Iterator[Iterable[str]]:
        for path in self._paths:
            self.path = path
            yield self._lines()

    def _lines(self) -> Iterator[str]:
        """Yield lines with their breaks; bytes of a payload that are no text stay countable."""
        try:
            piped = cast(io.BufferedReader, sys.stdin.buffer)
            with piped if self.path == "-" else Path(self.path).open("rb") as data:
                encoding = "utf-16" if data.peek(2)[:2] in UTF_16 else "utf-8-sig"
                text = io.TextIOWrapper(data, encoding, "surrogateescape", newline="\n")
                yield from iter(partial(text.readline, MOST_LINE_CHARACTERS + 1), "")  # one more is refused
        except OSError as error:
            raise WorkloadError("log_unreadable", why=error) from None
