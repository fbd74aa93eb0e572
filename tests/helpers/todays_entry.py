"""A verdict's run as today's broker plays it."""

from __future__ import annotations

from playground.storybook import ready_scenarios, rehearsal
from playground.storybook.entry import LibraryEntry, read
from playground.verdicts import TODAYS, VerdictRun


def todays_entry(run: VerdictRun) -> LibraryEntry:
    """Return a scenario as the release plays it, with what is claimed of that run."""
    written = ready_scenarios.load(ready_scenarios.FOLDER / f"{run.scenario}.json").to_json()
    taken = rehearsal.asked_for(TODAYS.series, read(written).run)
    if taken is not None:
        own = {name: taken.scenario[name] for name in ("profile", "settings")}
        written = {**written, **own, "digest": None}
    if run.claims is not None:
        written["claims"] = [{"at_us": each.at_us, "test": each.test} for each in run.claims]
    return read({name: value for name, value in written.items() if name != "prediction"})
