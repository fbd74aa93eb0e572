"""How static files are named: by their content, so that browsers may keep them for ever."""

import time

from whitenoise.storage import CompressedManifestStaticFilesStorage

STARTED = int(time.time())
"""When this process read its translations: a new one may have others."""


class HashedStorage(CompressedManifestStaticFilesStorage):
    """Hash the names, rewrite the modules' imports of each other, and compress once, at collection.

    Imports must be relative, on one line, and end with a semicolon for Django to find them.
    """

    support_js_module_import_aggregation = True
    # A page with a missing picture is better than no page.
    manifest_strict = False
