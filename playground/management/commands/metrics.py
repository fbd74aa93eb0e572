"""manage.py metrics: the table of metrics in docs/whatif.md, from the registry."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from engine.metrics import METRICS, Metric

PAGE = Path(__file__).resolve().parents[3] / "docs" / "whatif.md"
BEGIN, END = "<!-- metrics: written by `manage.py metrics` -->\n", "<!-- /metrics -->\n"
BETTER = {"lower": "less", "higher": "more", "neither": ""}


class Command(BaseCommand):
    """Writes the table of metrics into docs/whatif.md, after a metric was added or changed."""

    help = "Write the table of metrics into docs/whatif.md."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--check", action="store_true", help="write nothing; fail if the table is stale")

    def handle(self, *args: Any, check: bool, **options: Any) -> None:
        text = PAGE.read_text("utf-8")
        wanted = with_table(text)
        if wanted == text:
            return
        if check:
            raise CommandError(f"the table of metrics in {PAGE.name} is stale; write it: manage.py metrics")
        PAGE.write_text(wanted, "utf-8")
        self.stdout.write(f"{PAGE}: {len(METRICS)} metrics")


def with_table(text: str) -> str:
    """Return the page's text with the current table between its marks."""
    before, _begin, rest = text.partition(BEGIN)
    _old, end, after = rest.partition(END)
    if not end:
        raise CommandError(f"{PAGE.name} has lost the marks around its table of metrics: {BEGIN.strip()}")
    return f"{before}{BEGIN}{table()}{END}{after}"


def table() -> str:
    lines = ["| metric | unit | better | what it is |", "|---|---|---|---|"]
    return "\n".join([*lines, *map(_line, METRICS.values())]) + "\n"


def _line(metric: Metric) -> str:
    return f"| `{metric.name}` | {metric.unit} | {BETTER[metric.better]} | {metric.help} |"
