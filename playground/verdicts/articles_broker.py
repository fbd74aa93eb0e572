"""The runs that show what the articles' own broker does: ready scenarios with another profile, carried by links."""

from __future__ import annotations

from functools import lru_cache

from django.urls import reverse

from engine.releases import PROFILES, V3_8_9
from playground.library import ready_scenarios
from playground.sessions import scenario_links
from playground.storybook.entry import LibraryEntry, read
from playground.storybook.story import in_language
from playground.verdicts import VerdictRun

ARTICLES = V3_8_9


def entry_of(run: VerdictRun) -> LibraryEntry:
    """Return a scenario as the articles' broker plays it, with what is claimed of that run."""
    written = ready_scenarios.load(ready_scenarios.FOLDER / f"{run.scenario}.json").to_json()
    changed = {**written, "profile": ARTICLES.profiles[PROFILES[written["profile"]].scale], "digest": None}
    if run.claims is not None:
        changed["claims"] = [{"at_us": each.at_us, "test": each.test} for each in run.claims]
    return read(changed)


def address_of(run: VerdictRun, language: str) -> str:
    """Return the address that opens a run at its moment.

    Args:
        language: of the run's title.
    """
    return f"{_address(run.scenario, language)}{scenario_links.LinkPlace(at_us=run.at_us).query()}"


@lru_cache(maxsize=200)
def _address(scenario: str, language: str) -> str:
    entry = entry_of(VerdictRun(scenario, 0))
    title = f"{in_language(entry.story.title)} · {ARTICLES.name}"
    packed = scenario_links.packed({**entry.run, "title": title})
    if packed is None:
        raise ValueError(f"{scenario} is too long for a link")
    return reverse("stateless", args=[packed])
