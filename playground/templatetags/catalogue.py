"""What the engine's catalogue offers to templates."""

from __future__ import annotations

from typing import Any, get_args

from django import template
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

from engine.report.transitions.base import Group

register = template.Library()

LABELS: dict[str, Any] = {
    "messages": pgettext_lazy("group of transitions", "messages"),  # elsewhere a unit behind a number
    "memory": _("memory"),
    "files": _("files"),
    "node": _("node"),
}


@register.simple_tag
def log_groups() -> list[tuple[str, Any]]:
    """Return the groups of transitions that the log may be filtered by, with their labels."""
    return [(group, LABELS[group]) for group in get_args(Group)]
