"""Refusals of story and exercise files beyond the engine's: a code and a text for each."""

from __future__ import annotations

from typing import Any, Final

from django.utils.translation import gettext_lazy as _

from engine.values.errors import ScenarioError, ValueRefused
from playground.hosting import refusals
from playground.texts.page_message import PageMessage

OF_FILES: Final[dict[str, Any]] = {
    "asked_too_late": _("ask_at_us must be before at_us."),
    "whole_run_needed": _("Only a claim may use a condition that needs the whole run."),
    "usual_not_drawn": _("variants: the usual number must be one of those that can be drawn."),
}
TEXTS: Final[dict[str, Any]] = {**refusals.TEXTS, **OF_FILES}


class WrittenWrong(ValueRefused, ScenarioError):
    """A file of a story or an exercise has what it may not have; the code is a key of `TEXTS`."""

    sentences = {**ScenarioError.sentences, **OF_FILES}


def message_of(error: Exception) -> PageMessage:
    """Return what is wrong with a file of a story or an exercise."""
    return refusals.message_of(error, TEXTS)
