"""Values that JSON can say and this server cannot keep: halves of characters, and numbers without end."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from typing import Any, Final

from django.utils.translation import gettext_lazy as _

from playground.texts.page_message import PageMessage

LARGEST: Final = 2**63 - 1
_HALF: Final = re.compile("[\ud800-\udfff]")


def problems(value: Any, path: str = "") -> Iterator[tuple[str, PageMessage]]:
    """Find them, each with its path such as `commands[3].count`.

    Args:
        value: as `json.loads` returned it, not nested too deeply.
        path: of the value.
    """
    if isinstance(value, dict):
        for name, part in value.items():
            if _HALF.search(name):
                yield path or "$", PageMessage(_HALF_TEXT)
            else:
                yield from problems(part, f"{path}.{name}" if path else name)
    elif isinstance(value, list):
        for number, part in enumerate(value):
            yield from problems(part, f"{path}[{number}]")
    elif isinstance(value, str):
        if _HALF.search(value):
            yield path or "$", PageMessage(_HALF_TEXT)
    elif isinstance(value, float):
        if not math.isfinite(value):
            yield path or "$", PageMessage(_NUMBER_TEXT, most=LARGEST)
    elif isinstance(value, int) and abs(value) > LARGEST:
        yield path or "$", PageMessage(_NUMBER_TEXT, most=LARGEST)


_HALF_TEXT = _(
    "A text has half of a character (a lone surrogate, \\ud800 to \\udfff). Write the whole character."
)
_NUMBER_TEXT = _("A number is too large. The largest is %(most)s.")
