"""manage.py prepare: make ready what a server needs before it starts."""

from __future__ import annotations

from typing import Any

from django.core.management import call_command
from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.db import connection
from django.db.migrations.loader import MigrationLoader
from django.db.migrations.recorder import MigrationRecorder

TOO_OLD = (
    "This database is older than 0.3.0, or was made between two releases. "
    "Prepare it with release 0.4.0 once (tools/prepare.sh there), and then with this one."
)


def check_releases() -> None:
    """Raise CommandError when the database has a part of what one squashed migration replaces."""
    applied = MigrationRecorder(connection).applied_migrations()
    for migration in MigrationLoader(None).replacements.values():
        if 0 < sum(each in applied for each in migration.replaces) < len(migration.replaces):
            raise CommandError(TOO_OLD)


class Command(BaseCommand):
    """One process does all steps: starting Django once for each would take longer than the steps."""

    help = "Make the tables, load the ready scenarios and collect the static files; what is there already is kept."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--without-scenarios", action="store_true", help="load no ready scenarios")

    def handle(self, *args: Any, **options: Any) -> None:
        self._announce("Preparing the database ...")
        check_releases()
        call_command("migrate", interactive=False, verbosity=0)
        if not options["without_scenarios"]:
            self._announce("Loading the scenarios ...")
            call_command("load_scenarios", stdout=self.stdout)
        self._announce("Collecting static files ...")
        call_command("collectstatic", interactive=False, verbosity=0)

    def _announce(self, sentence: str) -> None:
        self.stdout.write(sentence)
        self.stdout.flush()
