"""Which static files are served, and how they are named."""

import time

from django.contrib.staticfiles.apps import StaticFilesConfig
from whitenoise.storage import CompressedManifestStaticFilesStorage

STARTED = int(time.time())
"""When this process read its translations: a new one may have others."""


class StaticFiles(StaticFilesConfig):
    """Collect what pages use: django-htmx brings extensions and a next version too, which import what it lacks."""

    ignore_patterns = [
        *StaticFilesConfig.ignore_patterns,
        "hx-*.js",
        "htmx-4*.js",
        "htmax-*.js",
        "htmx-2-compat*",
    ]


class HashedStorage(CompressedManifestStaticFilesStorage):
    """Hash the names, so that browsers may keep files for ever, and compress once, at collection.

    Modules' imports of each other are rewritten: they must be relative, on one line, and end with a semicolon.
    """

    support_js_module_import_aggregation = True
    # In each pass a name settles whose imports have settled before: as many are needed as modules import in a chain.
    max_post_process_passes = 30
    # A page with a missing picture is better than no page.
    manifest_strict = False

    def stored_name(self, name: str) -> str:
        """Return the hashed name; the plain one where nothing was collected, as for programs beside the server."""
        try:
            return str(super().stored_name(name))
        except ValueError:
            return name
