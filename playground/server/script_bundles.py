"""Scripts and style sheets of pages, each with what it imports: a page loads a dozen files instead of two hundred."""

from __future__ import annotations

import logging
import re
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from django.conf import settings
from django.contrib.staticfiles.finders import BaseFinder
from django.core.files.storage import FileSystemStorage

logger = logging.getLogger(__name__)

MODULE: Final = re.compile(r"""type="module"\s+(?:async\s+)?src="{% static '([\w/-]+\.js)' %}\"""")
"""How a template names a script."""
LIMIT_S: Final = 60


def entries(templates: Path, sources: Path, edition: bool = False) -> list[str]:
    """Return the scripts that templates name, and all style sheets, below the static files.

    Args:
        templates: their directory.
        sources: the directory of static files.
        edition: those of the edition without a server, which has not every script.
    """
    texts = (path.read_text(encoding="utf-8") for path in templates.rglob("*.html"))
    scripts = {name for text in texts for name in MODULE.findall(text)}
    sheets = (path.relative_to(sources).as_posix() for path in (sources / "css").glob("*.css"))
    if edition:
        scripts = {name for name in scripts if (sources / name).is_file()}
    return sorted(name for name in scripts.union(sheets) if edition or not name.startswith("js/edition/"))


def bundler(modules: Path) -> Path | None:
    """Return the program that bundles scripts; None where npm installed none.

    Args:
        modules: where npm installs.
    """
    return next(iter(sorted(modules.glob("@esbuild/*/bin/esbuild"))), None)


def bundle(names: list[str], sources: Path, out: Path) -> list[str]:
    """Write each script and style sheet with what it imports; what several scripts share is a file of its own.

    Args:
        names: of the files below `sources`.
        sources: the directory of static files.
        out: a directory, which is emptied.

    Returns what was written, below `out`: nothing where there is no bundler, or where it fails.
    """
    shutil.rmtree(out, ignore_errors=True)
    program = bundler(settings.BASE_DIR / "node_modules")
    if program is None:
        return []
    options = (
        "--bundle",
        "--splitting",
        "--format=esm",
        "--minify",
        "--log-level=warning",
        "--outbase=.",
    )
    paths = ("--chunk-names=js/chunks/[name]-[hash]", "--external:*.woff2", f"--outdir={out}")
    try:
        command = [str(program), *names, *options, *paths]
        subprocess.run(command, cwd=sources, check=True, timeout=LIMIT_S)  # noqa: S603 - our own files
    except (OSError, subprocess.SubprocessError) as error:
        logger.warning("scripts are served one by one, as they could not be bundled: %s", error)
        return []
    return sorted(path.relative_to(out).as_posix() for path in out.rglob("*") if path.is_file())


class BundleFinder(BaseFinder):
    """Lists bundles for collection; they hide the modules of the same names. Nothing else sees them."""

    def find(self, path: str, **_options: Any) -> Any:
        """Return nothing: who asks for one file wants the source."""
        return []

    def list(self, ignore_patterns: Any) -> Iterator[tuple[str, FileSystemStorage]]:
        """Yield each bundle and where it lies."""
        sources, out = settings.BASE_DIR / "static", settings.VAR_DIR / "bundles"
        storage = FileSystemStorage(location=str(out))
        for path in bundle(entries(settings.BASE_DIR / "templates", sources), sources, out):
            yield path, storage
