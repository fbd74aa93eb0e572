"""manage.py export_workloads: write workloads into a store that Spark sweeps read."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.utils import timezone

from playground.hosting import session_record
from playground.hosting.real_engine import door
from playground.models import Scenario, Session
from playground.records import kept_runs
from workloads.errors import WorkloadError
from workloads.private import without_personal_data
from workloads.workload import Source, Workload, checked, read_directory, shipped

QUIET_MINUTES = 10


class Command(BaseCommand):
    """The project's own workloads, the library, imports, and recorded sessions without what their people typed."""

    help = (
        "Export workloads to a store of Parquet files: a directory or any URI that Arrow opens (file:, s3:, hdfs:). "
        "Only what is new is written. Names that people typed are replaced, and titles of sessions left out."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("uri", help="where the store is, or is to be")
        parser.add_argument(
            "--quiet-minutes",
            type=int,
            default=QUIET_MINUTES,
            help="leave out sessions that somebody was in so lately (default: %(default)s)",
        )
        parser.add_argument("--no-sessions", action="store_true", help="leave out every recorded session")

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            from workloads import store  # noqa: PLC0415 - pyarrow comes with Spark, the app itself does without
        except ImportError as error:
            raise CommandError(
                f"{error.name} is missing: `make spark-env` installs it (pip install -r requirements-spark.txt)"
            ) from error
        today = timezone.now().date()
        try:
            for source, workloads in self._sources(options).items():
                written = store.add(options["uri"], workloads, door().version, today)
                self.stdout.write(f"{source}: {len(workloads)} workloads, {written} new")
        except WorkloadError as error:
            raise CommandError(str(error)) from error

    def _sources(self, options: dict[str, Any]) -> dict[Source, list[Workload]]:
        found: dict[Source, list[Workload]] = {
            "shipped": list(shipped()),
            "library": list(_library()),
            "import": list(read_directory(settings.VAR_DIR / "workloads")),
        }
        if not options["no_sessions"]:
            found["session"] = list(self._sessions(options["quiet_minutes"]))
        return found

    def _sessions(self, quiet_minutes: int) -> Iterator[Workload]:
        """Yield each session in which somebody did something, under a name that reveals nothing about the person."""
        quiet = timezone.now() - timedelta(minutes=quiet_minutes)
        sessions = Session.objects.filter(last_seen__lte=quiet, commands__isnull=False).distinct()
        left_out = 0
        for session in sessions.order_by("pk").iterator(chunk_size=50):
            try:
                scenario = without_personal_data(recorded(session))
                workload = checked("session", scenario, "session")
            except WorkloadError:
                left_out += 1
                continue
            yield Workload(
                name=f"session-{workload.workload_id[:8]}",
                title="A recorded session",
                scenario=workload.scenario,
                source="session",
            )
        if left_out:
            self.stdout.write(f"{left_out} sessions left out: console lines, or commands of another engine")


def recorded(session: Session) -> dict[str, Any]:
    """Return what a session did, as one scenario up to where it is known to have come."""
    commands = kept_runs.commands_of(session)
    reached_us, _digest = kept_runs.reached(session, commands)
    return session_record.merged(session.scenario, commands, reached_us, "")


def _library() -> Iterator[Workload]:
    for kept in Scenario.objects.filter(slug__isnull=False).order_by("slug"):
        yield checked(str(kept.slug), kept_runs.scenario_body(kept), "library")
