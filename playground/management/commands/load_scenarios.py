"""manage.py load_scenarios: put the ready scenarios into the library."""

from __future__ import annotations

import logging
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from playground.hosting import session_record
from playground.hosting.real_engine import door
from playground.models import Scenario
from playground.records import kept_runs
from playground.storybook import ready_scenarios
from playground.storybook.entry import LibraryEntry
from playground.storybook.rehearsal import rehearse

logger = logging.getLogger(__name__)


class Command(BaseCommand):
    """Each data file becomes an entry with an address of its own."""

    help = "Load the ready scenarios into the library; what is there and unchanged is left alone."

    def handle(self, *args: Any, **options: Any) -> None:
        files = ready_scenarios.files()
        for number, path in enumerate(files, start=1):
            self.stdout.write(f"  {number}/{len(files)} {path.stem} ... ", ending="")
            self.stdout.flush()
            self.stdout.write(self._load(path))
        removed = kept_runs.prune_library({path.stem for path in files})
        if removed:
            self.stdout.write(f"  removed {removed} that have no file any more")

    def _load(self, path: Path) -> str:
        try:
            entry = ready_scenarios.load(path)
        except (ready_scenarios.BadScenario, ValueError) as error:
            raise CommandError(f"{path}: {error}") from error
        # The digest stands in the file, and the tests hold it to the engine; a file of one's own may have none yet.
        digest = entry.run["digest"] or _digest(entry)
        if digest is None:
            return "left out, the engine failed"
        there = kept_runs.scenario_by_name(path.stem)
        if there and unchanged(there, entry, digest):
            return "unchanged"
        kept_runs.put_in_library(path.stem, {**entry.run, "digest": digest}, entry.story_json())
        return f"loaded, digest {digest[:12]}"


def _digest(entry: LibraryEntry) -> str | None:
    """Play a scenario to learn its digest; None when the engine fails."""
    try:
        result = rehearse(entry)
    except Exception:
        logger.exception("%s does not run", entry.slug)
        return None
    for sentence in result.broken:
        logger.warning("%s: %s", entry.slug, sentence)
    return result.digest


def unchanged(there: Scenario, entry: LibraryEntry, digest: str) -> bool:
    body = session_record.canonical({**entry.run, "digest": None})
    kept = (there.text.body, there.digest, there.engine_version, there.story)
    return kept == (body, digest, door().version, entry.story_json())
