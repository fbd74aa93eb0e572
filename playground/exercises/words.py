"""Words that all exercises share: common feedback, kinds, sub-queues."""

from __future__ import annotations

from typing import Any

from django.utils.translation import gettext as _

from playground.exercises.schema import Exercise, Texts


def feedback(texts: Texts, name: str) -> str:
    """Return the text of a feedback id."""
    common = {
        "_too-high": _("Too many. Compare your number with what the engine did, and find the difference."),
        "_too-low": _("Too few. Compare your number with what the engine did, and find the difference."),
        "_missing": _("Something is missing from your order."),
        "_out-of-order": _("Everything that happens is there, but not in this order."),
        "_stayed": _("A message that you left where it was has moved."),
        "_moved": _("A message that you moved has stayed where it was."),
        "_elsewhere": _("A message did move, but to another place."),
        "_too-many-commands": _(
            "The state counts, but you used more commands than allowed. Begin again with fewer."
        ),
        "_verb-not-allowed": _(
            "One of your commands is not allowed in this exercise. Begin again without it."
        ),
        "_setting-not-allowed": _("You changed a setting that must stay as it is. Begin again without it."),
        "_too-many-messages": _("You published more messages than allowed. Begin again with fewer."),
    }
    return texts.feedback.get(name) or common.get(name) or name


def kind(exercise: Exercise) -> str:
    """Return the name of a kind of exercise."""
    return {
        "predict": _("predict"),
        "reach": _("reach a state"),
        "broker": _("be the broker"),
        "order": _("put in order"),
    }[exercise.kind]


def place(name: str) -> str:
    """Return the name of a place of messages."""
    return {
        "unacked": _("unacknowledged"),
        "gone": _("gone"),
        "arriving": _("arriving"),
        "outside": _("outside"),
    }.get(name, name)


def about(exercise: Exercise, texts: Texts, name: str) -> str:
    """Return what a line of a verdict is about."""
    if exercise.kind == "broker":
        return _("message %(number)s") % {"number": name}
    return {"choice": _("your prediction"), "number": _("your prediction")}.get(name) or texts.words.get(
        name, name
    )


def said(exercise: Exercise, texts: Texts, value: Any) -> str:
    """Return a value of a verdict in words."""
    if value is None:
        return "–"
    if value is True:
        return _("yes")
    if value is False:
        return _("no")
    if exercise.kind == "broker":
        return place(str(value))
    return texts.words.get(str(value), str(value)) if isinstance(value, str) else str(value)
