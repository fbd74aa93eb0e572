"""manage.py write_slides UNIT FOLDER: the slides of a unit as one file that people present with, without a server."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.utils import translation

from playground.exercises import catalog, task
from playground.web.page_delivery import styles


class Command(BaseCommand):
    """Each slide has the stage as the engine has it there; the file holds pictures, style and script."""

    help = "Write the slides of a unit into FOLDER/slides-UNIT.html."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("unit")
        parser.add_argument("folder", type=Path)
        parser.add_argument("--language", default="en", choices=[code for code, _name in settings.LANGUAGES])

    def handle(self, *args: Any, **options: Any) -> None:
        style = styles("css/slides.css")
        script = (settings.BASE_DIR / "static" / "js" / "exercises" / "slides.js").read_text("utf-8")
        try:
            with translation.override(options["language"]):
                page = task.offline_page(options["unit"], options["language"], style, script)
        except catalog.NoExercise:
            known = ", ".join(each.slug for each in catalog.units())
            raise CommandError(f"no unit is called {options['unit']}; known: {known}") from None
        path = options["folder"] / f"slides-{options['unit']}.html"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(page, encoding="utf-8")
        self.stdout.write(f"the slides are in {path}")
