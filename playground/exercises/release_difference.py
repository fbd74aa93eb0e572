"""What today's release does instead of what an exercise shows, by the subjects of its rules and what its run uses."""

from __future__ import annotations

from typing import NamedTuple

from django.urls import reverse

from playground import verdicts
from playground.exercises.schema import Exercise
from playground.storybook import other_release
from playground.storybook.cards import SUBJECTS
from playground.storybook.story import in_language
from playground.texts.page_message import PageMessage
from playground.verdicts import todays_broker

MOST = 2
"""Subjects that one exercise speaks of: those of its first rules."""


class ReleaseDifference(NamedTuple):
    """One difference on the release.

    Args:
        verdict: of a subject; empty for a feature that the run uses.
        title, address: of the subject's page, which leads to the run that shows it.
    """

    text: str
    verdict: str = ""
    title: str = ""
    address: str = ""


def otherwise(found: Exercise) -> list[ReleaseDifference]:
    """Return what is otherwise on today's release; nothing for an exercise that is of its storage itself."""
    scenario = found.full_scenario()
    release = todays_broker.TODAYS
    settings = scenario.get("settings") or {}
    if other_release.shown_release({**scenario, "settings": settings}).storage is release.storage:
        return []
    whole = {**scenario, "settings": settings, "commands": scenario.get("commands", ())}
    said = [
        ReleaseDifference(
            str(PageMessage(other_release.GONE[feature], release=release.name, rule=release.gone[feature]))
        )
        for feature in other_release.used(whole)
        if feature in release.gone
    ]
    return said + _of_subjects(found)


def _of_subjects(found: Exercise) -> list[ReleaseDifference]:
    subjects = dict.fromkeys(
        subject.number for rule in found.rules if (subject := verdicts.of_rule(rule)) is not None
    )
    rows = []
    for number in list(subjects)[:MOST]:
        today = todays_broker.verdicts()[number]
        if today.verdict != "true":
            slug = verdicts.verdicts()[number].slug
            rows.append(
                ReleaseDifference(
                    in_language(today.finding),
                    today.verdict,
                    str(SUBJECTS[number]),
                    reverse("subject", args=[slug]),
                )
            )
    return rows
