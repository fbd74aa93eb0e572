"""The form that makes B out of A."""

from __future__ import annotations

from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from playground.comparing.changes import CHANGES, RunChange, read

MOST_S = 24 * 3600


class ChangeForm(forms.Form):
    """One change: what, to which value, from when on, and for how long the runs go on.

    `value` holds what `changes.read` made of the text once the form is valid.
    """

    releases_error = ""
    """What was wrong with the releases that were chosen in the form beside it."""

    change = forms.ChoiceField(
        label=_("Change"), choices=lambda: [(name, _described(each)) for name, each in CHANGES.items()]
    )
    value = forms.CharField(label=_("to"), max_length=20)
    at_s = forms.FloatField(label=_("from this second on"), min_value=0, max_value=MOST_S, initial=0)
    more_s = forms.FloatField(
        label=_("and go on for so many seconds"), min_value=0, max_value=3600, initial=0
    )

    def clean(self) -> dict[str, Any]:
        """Read the value as its change wants it."""
        cleaned: dict[str, Any] = super().clean() or {}
        name, text = cleaned.get("change"), cleaned.get("value")
        if name is None or text is None:
            return cleaned
        kind = CHANGES[name]
        try:
            cleaned["value"] = read(name, text.strip())
        except (ValueError, OverflowError):
            if kind.values is not None:
                message = _("It can be %(values)s.") % {"values": ", ".join(kind.values)}
            elif kind.whole:
                message = _("It must be a whole number from %(least)s to %(most)s.") % _bounds(kind)
            else:
                message = _("It must be a number from %(least)s to %(most)s.") % _bounds(kind)
            self.add_error("value", message)
        return cleaned


def _described(kind: RunChange) -> str:
    """Return what the list shows of a change: its name, and what it can be."""
    what = ", ".join(kind.values) if kind.values is not None else str(kind.unit)
    return f"{kind.label} ({what})" if what else str(kind.label)


def _bounds(kind: RunChange) -> dict[str, str]:
    return {"least": f"{kind.least:g}", "most": f"{kind.most:.0f}" if kind.whole else f"{kind.most:g}"}
