"""Reading what is after the question mark of an address."""

from __future__ import annotations

import re

from django.http import HttpRequest
from django.utils.translation import gettext_lazy as _

from playground.texts.page_message import RequestRefused


def whole_number(request: HttpRequest, name: str, default: str = "") -> int:
    """Return a number of the address, `default` where it names none; raise `RequestRefused` for anything else."""
    text = request.GET.get(name, default)
    if not re.fullmatch(r"[0-9]{1,15}", text):
        raise RequestRefused(_("%(name)s must be a whole number of at least 0."), name=name)
    return int(text)
