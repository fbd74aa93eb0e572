"""manage.py load_scenarios: put the ready scenarios into the library."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from playground import library, selectors, services, timeline
from playground.doors import door


class Command(BaseCommand):
    """Each data file is run once, without files, to learn the digest that its replay must reach."""

    help = "Load the ready scenarios into the library; what is there and unchanged is left alone."

    def handle(self, *args: Any, **options: Any) -> None:
        """Load every file and remove the entries whose file is gone."""
        files = library.files()
        for number, path in enumerate(files, start=1):
            self.stdout.write(f"  {number}/{len(files)} {path.stem} ... ", ending="")
            self.stdout.flush()
            self.stdout.write(self._load(path))
        removed = services.prune_library({path.stem for path in files})
        if removed:
            self.stdout.write(f"  removed {removed} that have no file any more")

    def _load(self, path: Path) -> str:
        try:
            scenario = door().check(path.read_bytes())
        except door().no_scenario as error:
            raise CommandError(f"{path}: {error}") from error
        body = timeline.canonical({**scenario, "digest": None})
        there = selectors.scenario_by_name(path.stem)
        if there and there.body == body and there.engine_version == door().version and there.digest:
            return "unchanged"
        node, _files = door().rehearse(scenario)
        node.advance(scenario["until_us"])
        services.put_in_library(path.stem, {**scenario, "digest": node.log.digest})
        return f"loaded, {node.log.number} transitions, digest {node.log.digest[:12]}"
