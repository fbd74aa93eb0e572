"""Which language a socket's person reads: sockets pass no LocaleMiddleware."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.utils.translation import get_supported_language_variant
from django.utils.translation.trans_real import parse_accept_lang_header


def language_of(scope: dict[str, Any]) -> str:
    """Return the language of a connection: its cookie's, else the first it accepts that there is."""
    accepted = dict(scope.get("headers", [])).get(b"accept-language", b"").decode("latin1")
    wanted = [scope.get("cookies", {}).get(settings.LANGUAGE_COOKIE_NAME, "")]
    wanted += [code for code, _priority in parse_accept_lang_header(accepted)]
    for code in wanted:
        try:
            return get_supported_language_variant(code)
        except LookupError:
            continue
    return settings.LANGUAGE_CODE
