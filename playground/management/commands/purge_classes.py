"""Delete what is past its date: classes with everything in them, and learners who have not come for long."""

from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand

from playground.classroom import services


class Command(BaseCommand):
    """manage.py purge_classes."""

    help = "Delete classes past their date, and learners who have not come for long"

    def handle(self, *args: Any, **options: Any) -> None:
        services.carry_out()
        services.forget_old()
        classes, learners = services.purge()
        self.stdout.write(f"{classes} classes and {learners} learners deleted")
