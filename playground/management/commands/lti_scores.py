"""Send scores that a learning platform has not taken yet: a chore of the server."""

from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand

from playground.lti import launches


class Command(BaseCommand):
    """manage.py lti_scores."""

    help = "Send scores that a learning platform has not taken yet"

    def handle(self, *args: Any, **options: Any) -> None:
        self.stdout.write(f"{launches.send_due()} scores sent")
