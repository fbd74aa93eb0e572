"""What an operator does for teachers: invite, list who waits, approve, and help somebody who lost the password."""

from __future__ import annotations

from typing import Any

from django.contrib.auth import get_user_model
from django.core.management.base import BaseCommand, CommandError, CommandParser

from playground.classroom import services


class Command(BaseCommand):
    """manage.py teachers."""

    help = (
        "Invite teachers, list and approve those who wait, give a recovery code to one who lost the password"
    )

    def add_arguments(self, parser: CommandParser) -> None:
        """Take one thing to do; without any, list who waits."""
        what = parser.add_mutually_exclusive_group()
        what.add_argument("--invite", action="store_true", help="print an invitation, good for one account")
        what.add_argument("--approve", metavar="NAME", help="let in somebody who signed up without one")
        what.add_argument(
            "--recover", metavar="NAME", help="print a new recovery code for the page /class/recover"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        if options["invite"]:
            self.stdout.write(
                f"/class/sign-up?with={services.new_invitation()}  (for {services.INVITED_DAYS} days)"
            )
        elif options["approve"]:
            if not services.approve_teacher(options["approve"]):
                raise CommandError(f"nobody called {options['approve']!r} is waiting")
            self.stdout.write(f"{options['approve']} may log in")
        elif options["recover"]:
            found = get_user_model().objects.filter(username=options["recover"], is_active=True).first()
            if found is None:
                raise CommandError(f"no teacher is called {options['recover']!r}")
            self.stdout.write(services.new_recovery(found))
        else:
            names = [each.get_username() for each in services.waiting_teachers().order_by("date_joined")]
            self.stdout.write("\n".join(names) or "nobody waits")
