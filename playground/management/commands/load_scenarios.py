"""manage.py load_scenarios: put the ready scenarios into the library."""

from __future__ import annotations

import logging
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from playground import library, selectors, services, timeline
from playground.doors import door

logger = logging.getLogger(__name__)


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
        # Run every time: it takes a moment, and an engine that changed shows itself.
        try:
            node, _files = door().rehearse(scenario)
            node.advance(scenario["until_us"])
        except Exception as error:
            logger.exception("%s does not run", path.stem)
            return f"left out, the engine failed: {error}"
        there = selectors.scenario_by_name(path.stem)
        body = timeline.canonical({**scenario, "digest": None})
        if there and (there.body, there.digest, there.engine_version) == (
            body,
            node.log.digest,
            door().version,
        ):
            return "unchanged"
        services.put_in_library(path.stem, {**scenario, "digest": node.log.digest})
        return f"loaded, {node.log.number} transitions, digest {node.log.digest[:12]}"
