"""manage.py record_digests: write into each ready scenario the digest that this engine reaches, and draw it again."""

from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from playground.storybook import cards, ready_scenarios
from playground.storybook.entry import read
from playground.storybook.rehearsal import rehearse


class Command(BaseCommand):
    """For after a change of the engine that was meant to change runs. Claims are checked, never rewritten."""

    help = "Play every ready scenario, write its digest into its file, and report which claims do not hold."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--only", metavar="NAME", help="this scenario instead of all")

    def handle(self, *args: Any, **options: Any) -> None:
        """Rewrite the files whose digest or form differs; fail when a claim does not hold."""
        broken, drawn = 0, {}
        files = [path for path in ready_scenarios.files() if options["only"] in (None, path.stem)]
        if not files:
            raise CommandError(f"there is no ready scenario {options['only']}")
        for path in files:
            text = path.read_text("utf-8")
            entry = read(text)
            result = rehearse(entry)
            entry.written["digest"] = result.digest
            drawn[path.stem] = cards.draw(entry)
            same = entry.encode() == text
            if not same:
                path.write_text(entry.encode(), "utf-8")
            self.stdout.write(f"{path.stem}: {result.digest[:12]} {'unchanged' if same else 'written'}")
            for sentence in (*result.broken, *result.refused):
                broken += 1
                self.stdout.write(f"  {sentence}")
        cards.keep(drawn, {path.stem for path in ready_scenarios.files()})
        if broken:
            raise CommandError(f"{broken} claims do not hold, or commands were refused")
