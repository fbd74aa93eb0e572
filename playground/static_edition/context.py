"""The context that marks a page as one of the static edition, for templates."""

from __future__ import annotations

import copy
from typing import Any

from django.conf import settings
from django.http import HttpRequest


def edition(request: HttpRequest) -> dict[str, object]:
    """Return what every template gets."""
    return {"edition": True}


def templates() -> list[dict[str, Any]]:
    """Return the templates' settings of a server that renders the edition."""
    found: list[dict[str, Any]] = copy.deepcopy(settings.TEMPLATES)
    found[0]["OPTIONS"]["context_processors"].append(f"{__name__}.{edition.__name__}")
    return found
