"""What today's broker does of each subject's claim, and the run that shows it; a twin of `articles_broker`."""

from __future__ import annotations

from functools import cache
from typing import Annotated, Literal

import msgspec
from django.urls import reverse

from engine.releases import V4_3_6
from playground.library import ready_scenarios
from playground.sessions import scenario_links
from playground.storybook import other_release
from playground.storybook.entry import LibraryEntry, read
from playground.storybook.story import Texts
from playground.verdicts import FOLDER, SPAN, VerdictRun

TODAYS = V4_3_6
VerdictToday = Literal["true", "false", "depends", "changed", "gone"]


class TodaysVerdict(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Whether a subject's claim holds of the release; `gone` where what it speaks of does not exist any more,
    `depends` where it is as right or wrong as for the reference.

    Args:
        rules: rule ids such as W33, or spans of them.
        run: a ready scenario of 4.x, or one of 3.10 whose commands are opened on the release.
    """

    number: int
    verdict: VerdictToday
    rules: list[Annotated[str, msgspec.Meta(pattern=SPAN)]]
    finding: Texts
    run: VerdictRun


@cache
def verdicts() -> dict[int, TodaysVerdict]:
    read_all = msgspec.json.decode((FOLDER / "todays.json").read_bytes(), type=list[TodaysVerdict])
    return {each.number: each for each in read_all}


def entry_of(run: VerdictRun) -> LibraryEntry:
    """Return a scenario as the release plays it, with what is claimed of that run."""
    written = ready_scenarios.load(ready_scenarios.FOLDER / f"{run.scenario}.json").to_json()
    taken = other_release.asked_for(TODAYS.series, read(written).run)
    if taken is not None:
        own = {name: taken.scenario[name] for name in ("profile", "settings")}
        written = {**written, **own, "digest": None}
    if run.claims is not None:
        written["claims"] = [{"at_us": each.at_us, "test": each.test} for each in run.claims]
    return read({name: value for name, value in written.items() if name != "prediction"})


def address_of(scenario: str, at_us: int, short_id: str, series: str) -> str:
    entry = ready_scenarios.entry(scenario)
    own = entry is not None and other_release.shown_release(entry.run).series == series
    place = scenario_links.LinkPlace(at_us=at_us, release="" if own else series)
    return reverse("permalink", args=[short_id]) + place.query()
