"""manage.py import_workload: make a workload of somebody's own log."""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser

from workloads.errors import WorkloadError
from workloads.imports import READERS, Imported, Options
from workloads.workload import checked, messages

NAME = re.compile(r"[a-z0-9][a-z0-9-]{0,59}")


class Command(BaseCommand):
    """The scenario lands under `var/workloads`; sweeps take it from there, and so does export_workloads."""

    help = (
        "Make a workload of a PerfTest command line (perf-test), a rabbitmq_tracing log in JSON (tracing), "
        "or a CSV of arrivals (csv). Nothing about people is kept: no user, host, payload or queue name."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        """Read the kind, the file, and what the log does not say."""
        parser.add_argument("kind", choices=sorted(READERS))
        parser.add_argument("file", help="the log; - reads it from the standard input")
        parser.add_argument("--name", required=True, help="lower case, digits and hyphens")
        parser.add_argument("--queue", help="the queue to read, where the log has several")
        parser.add_argument("--consumer-rate", type=int, help="messages a second that a consumer takes")
        parser.add_argument(
            "--prefetch", type=int, default=100, help="of that consumer (default: %(default)s)"
        )
        parser.add_argument("--ram-bytes", type=int, help="RAM of the node (default: 512 MiB)")

    def handle(self, *args: Any, **options: Any) -> None:
        """Write the scenario and say what was made of the log."""
        if not NAME.fullmatch(options["name"]):
            raise CommandError("--name: use lower case letters, digits and hyphens; it becomes a file name")
        try:
            imported = _read(options)
            workload = checked(options["name"], imported.scenario)
        except WorkloadError as error:
            raise CommandError(f"{options['file']}: {error}") from error
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


def _read(options: dict[str, Any]) -> Imported:
    """Read the log with what the options add to it.

    Raises:
        WorkloadError: the log is not possible; the message names the line.
    """
    asked = Options(
        queue=options["queue"],
        consumer_rate_per_s=options["consumer_rate"],
        prefetch=options["prefetch"],
        ram_bytes=options["ram_bytes"],
    )
    reader = READERS[options["kind"]]
    if options["file"] == "-":
        return reader(sys.stdin, asked)
    try:
        with Path(options["file"]).open(encoding="utf-8", newline="") as lines:
            return reader(lines, asked)
    except (OSError, UnicodeDecodeError) as error:
        raise WorkloadError("log_unreadable", why=error) from None
