"""What a story asks before its run goes on: the run waits for an answer here, whatever the page does."""

from __future__ import annotations

from typing import Any, Final

from django.utils.translation import gettext_lazy as _

from playground.models import Scenario, Session
from playground.texts.page_message import PageMessage

SKIPPED: Final = -1
"""Stored in place of an option's number where somebody goes on without an answer, or the run has shown it already."""


def asked(origin: Scenario | None) -> dict[str, Any] | None:
    """Return the prediction that the story of a kept run asks for, if it asks for one."""
    found: dict[str, Any] | None = (origin.story or {}).get("prediction") if origin else None
    return found


def at_start(origin: Scenario | None, reached_us: int) -> int | None:
    """Return what a session that begins at this moment has answered; after the answer nothing is asked."""
    prediction = asked(origin)
    return SKIPPED if prediction and reached_us >= prediction["at_us"] else None


def holds_us(session: Session) -> int | None:
    """Return the virtual time at which a session waits for an answer; None when it waits for none."""
    prediction = asked(session.origin)
    if prediction is None or session.predicted is not None:
        return None
    return int(prediction.get("ask_at_us", 0))


def lock(public_id: str, option: int) -> None:
    """Lock an answer: the number of an option, or `SKIPPED`. The first one stands."""
    Session.objects.filter(public_id=public_id, predicted=None).update(predicted=option)


def waits(public_id: str) -> PageMessage | None:
    """Return why nobody may take a session along now: its run would go on elsewhere and show the answer."""
    session = Session.objects.select_related("origin").filter(public_id=public_id).first()
    if session is None or holds_us(session) is None:
        return None
    return PageMessage(
        _(
            "This run asks for your prediction first. Lock your prediction, or skip it; then share "
            "or export the run."
        )
    )
