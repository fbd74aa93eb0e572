"""manage.py catalogue: write the page's modules and the tables of the documentation from the engine's classes."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser

from playground import catalogue


class Command(BaseCommand):
    """For after a change of a transition's class, or of another table that both languages have."""

    help = "Write what is generated from the engine's classes; with --check only report what is out of date."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "--check", action="store_true", help="write nothing; fail when a file is out of date"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        if options["check"]:
            found = catalogue.stale(settings.BASE_DIR)
            if found:
                raise CommandError(
                    f"out of date: {', '.join(found)}. Run manage.py catalogue and commit them."
                )
            return
        for path in catalogue.write(settings.BASE_DIR):
            self.stdout.write(f"{path}: written")
