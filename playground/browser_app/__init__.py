"""Django's templates and texts without its server: set up from an archive that `tools.wasm` packs."""

from __future__ import annotations

import json
import sys
import types
from pathlib import Path
from typing import Any, Final

import django
from django.conf import settings
from django.http import Http404
from django.urls import URLPattern, path, re_path

ADDRESSES: Final = "addresses.json"
LANGUAGES: Final = [("en", "English"), ("zh-hans", "Simplified Chinese"), ("zh-hant", "Traditional Chinese")]
LIBRARIES: Final = {
    **{name: f"django.templatetags.{name}" for name in ("i18n", "static", "l10n")},
    "waterline": "playground.templatetags.waterline",
}
URLS: Final = "browser_app_urls"


def begin(root: Path) -> None:
    """Set Django up, once. `root`: where the archive was unpacked."""
    if settings.configured:
        return
    options = {"libraries": LIBRARIES, "context_processors": []}
    engine = "django.template.backends.django.DjangoTemplates"
    settings.configure(
        BASE_DIR=root,
        VAR_DIR=root / "var",
        USE_I18N=True,
        LANGUAGE_CODE="en",
        LANGUAGES=LANGUAGES,
        LOCALE_PATHS=[root / "locale"],
        STATIC_URL="/static/",
        ROOT_URLCONF=URLS,
        WATERLINE=json.loads((root / "limits.json").read_text("utf-8")),
        TEMPLATES=[{"BACKEND": engine, "DIRS": [root / "templates"], "OPTIONS": options}],
    )
    django.setup()
    module = types.ModuleType(URLS)
    rows = json.loads((root / ADDRESSES).read_text("utf-8"))
    module.urlpatterns = [_pattern(*row) for row in rows]  # type: ignore[attr-defined]  # Django's name
    sys.modules[URLS] = module


def _pattern(name: str, route: str, is_regex: bool) -> URLPattern:
    return (re_path if is_regex else path)(route, _nothing, name=name)


def _nothing(request: Any) -> Any:
    """Stand where on the server a view is: here addresses are only written, and nobody asks for one."""
    raise Http404
