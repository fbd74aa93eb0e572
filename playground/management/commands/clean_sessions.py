"""manage.py clean_sessions: forget sessions, links and visitors' sweeps that nobody needs any more."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandParser

from playground.hosting.session_files import sweep
from playground.limits import session_limits
from playground.records import kept_bytes, kept_runs
from playground.sweeping import runner


class Command(BaseCommand):
    """The server does the same by itself, some times a day."""

    help = "Delete sessions and links unseen for some days, and the files that dead processes left behind."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "--days", type=int, default=session_limits.current().keep_days, help="default: %(default)s"
        )
        parser.add_argument(
            "--links-days", type=int, default=session_limits.current().links_days, help="default: %(default)s"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        deleted = kept_runs.delete_sessions_unseen_for(options["days"])
        unused = kept_runs.delete_unused_unseen_for(kept_bytes.UNUSED_S)
        links = kept_runs.delete_links_unseen_for(options["links_days"])
        sweeps = runner.delete_older_than(options["days"])
        texts = kept_runs.delete_texts_of_nothing()
        runner.delete_without_sweep()
        swept = sweep(settings.SESSIONS_DIR)
        self.stdout.write(
            f"{deleted + unused} sessions deleted, of which {unused} were never used, {links} links, {texts} texts of "
            f"scenarios, and {sweeps} sweeps of visitors; files of {len(swept)} dead processes removed"
        )
