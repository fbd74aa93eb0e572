"""A form as a browser sends it."""

from __future__ import annotations

from collections.abc import ItemsView
from typing import Protocol


class PostedForm(Protocol):
    """The fields of a form: Django's QueryDict, or the browser's own."""

    def get(self, name: str, otherwise: str) -> str:
        """Return the last value of a field."""

    def getlist(self, name: str) -> list[str]:
        """Return all values of a field."""

    def items(self) -> ItemsView[str, str]:
        """Return the last value of each field."""
