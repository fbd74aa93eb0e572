"""Static files: which are served, how they are named, and those that are answered from memory, without Django.

A page of a session imports 150 modules. Django takes 3 ms of a processor for each, and the first visit of a
class asks for all of them at once. The names contain a hash of the content, so a stored answer stays valid.
"""

from __future__ import annotations

import logging
import posixpath
import re
import shutil
import subprocess
import time
from collections.abc import Awaitable, Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, Final

from django.conf import settings
from django.contrib.staticfiles.apps import StaticFilesConfig
from django.contrib.staticfiles.finders import BaseFinder
from django.core.files.storage import FileSystemStorage
from whitenoise.storage import CompressedManifestStaticFilesStorage

from playground.web.page_delivery import IMPORTED_SHEET

STARTED = int(time.time())
"""When this process read its translations: a new one may have others."""


IMPORTED = re.compile(r"""\b(?:from|import)[\s(]*["'](\.[^"']+)["']\s*[;)]""")
"""How a script names another one that it imports, by a relative path; a type's import in a comment ends otherwise."""


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
    """Hash the names, so that browsers may keep files for ever, and compress once, at collection. Modules' imports of
    each other are rewritten: they must be relative, on one line, and end with a semicolon.
    """

    support_js_module_import_aggregation = True
    # The pass after the first sees that all names have settled, as imported files come first; else collecting fails.
    max_post_process_passes = 1
    # A page with a missing picture is better than no page.
    manifest_strict = False

    def _post_process(
        self, paths: dict[str, Any], adjustable_paths: list[str], hashed_files: dict[str, str]
    ) -> Iterator[Any]:
        """Take imported files before those that import them: names settle in one pass, not in one for each layer."""
        for name in imported_first({name: _read(*place) for name, place in paths.items()}):
            yield from super()._post_process({name: paths[name]}, adjustable_paths, hashed_files)

    def stored_name(self, name: str) -> str:
        """Return the hashed name; the plain one where nothing was collected, as for programs beside the server."""
        try:
            return str(super().stored_name(name))
        except ValueError:
            return name


def _read(storage: Any, path: str) -> str:
    """Return the text of a script or style sheet; empty for another file, which imports nothing."""
    if not path.endswith((".js", ".css")):
        return ""
    with storage.open(path) as file:
        return str(file.read(), "utf-8", "replace")


def imported_first(texts: Mapping[str, str]) -> list[str]:
    """Return the names of files in an order in which each follows those that it imports. `texts`: of the files by
    their names.
    """
    order: dict[str, None] = {}
    seen: set[str] = set()

    def take(name: str) -> None:
        if name in seen:
            return
        seen.add(name)
        for imported in (IMPORTED_SHEET if name.endswith(".css") else IMPORTED).findall(texts[name]):
            path = posixpath.normpath(posixpath.join(posixpath.dirname(name), imported))
            if path in texts:
                take(path)
        order[name] = None

    for name in texts:
        take(name)
    return list(order)


logger = logging.getLogger(__name__)

MODULE: Final = re.compile(r"""type="module"\s+(?:async\s+)?src="{% static '([\w/-]+\.js)' %}\"""")
"""How a template names a script."""
SERVED: Final = frozenset(("js/edition/browser-run.js", "js/edition/own-sweep.js"))
"""Of the edition's scripts, those of a server's pages. They share no file with others, so that those keep few parts."""
LIMIT_S: Final = 60


def entries(templates: Path, sources: Path, edition: bool = False) -> list[str]:
    """Return the scripts that templates name, and all style sheets, below the static files. `edition`: those of the
    edition without a server, which has not every script.
    """
    texts = (path.read_text(encoding="utf-8") for path in templates.rglob("*.html"))
    scripts = {name for text in texts for name in MODULE.findall(text)}
    sheets = (path.relative_to(sources).as_posix() for path in (sources / "css").glob("*.css"))
    if edition:
        scripts = {name for name in scripts - SERVED if (sources / name).is_file()}
    named = scripts.union(sheets)
    return sorted(name for name in named if edition or name in SERVED or not name.startswith("js/edition/"))


def bundler(modules: Path) -> Path | None:
    """Return the program that bundles scripts; None where npm installed none. `modules`: where npm installs."""
    return next(iter(sorted(modules.glob("@esbuild/*/bin/esbuild"))), None)


def bundle(names: list[str], sources: Path, out: Path) -> list[str]:
    """Write each script and style sheet with what it imports; what several scripts share is a file of its own.
    `names`: of the files below `sources`. `sources`: the directory of static files. `out`: a directory, which is
    emptied. Returns what was written, below `out`: nothing where there is no bundler, or where it fails.
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
        for together in (sorted({*names} - SERVED), sorted({*names} & SERVED)):
            command = [str(program), *together, *options, *paths]
            if together:
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
        sources, out = settings.BASE_DIR / "static", settings.VAR_DIR / "bundles"
        storage = FileSystemStorage(location=str(out))
        for path in bundle(entries(settings.BASE_DIR / "templates", sources), sources, out):
            yield path, storage


Message = dict[str, Any]
Scope = dict[str, Any]
Send = Callable[[Message], Awaitable[None]]
Application = Callable[[Scope, Any, Send], Awaitable[None]]
Question = tuple[str, bytes, bytes]

MOST_BYTES: Final = 16 * 1024 * 1024
"""Of all answers that are kept: several times what the pages have."""
MOST_BYTES_EACH: Final = 512 * 1024
MOST_HEADER_BYTES: Final = 256
KEPT_FOR_EVER: Final = b"immutable"
DECIDES: Final = (b"accept-encoding", b"x-forwarded-proto")
"""Headers on which an answer depends: whether it is compressed, and whether it came by HTTPS."""
PARTIAL: Final = frozenset({b"range", b"if-range", b"if-none-match", b"if-modified-since", b"if-match"})
"""Who sends one of these wants another answer than the whole file."""


class KeptFiles:
    """Answers what was answered before and never changes, and hands everything else on. `prefix`: what the paths of
    static files begin with. `most_bytes`: of all that is kept; beyond it, what came first is forgotten.
    """

    def __init__(self, pages: Application, prefix: str, most_bytes: int = MOST_BYTES) -> None:
        self._pages = pages
        self._prefix = prefix
        self._most_bytes = most_bytes
        self._kept: dict[Question, tuple[Message, Message]] = {}
        self._bytes = 0

    async def __call__(self, scope: Scope, receive: Any, send: Send) -> None:
        question = self._question_of(scope)
        if question is None:
            await self._pages(scope, receive, send)
        elif question in self._kept:
            for message in self._kept[question]:
                await send(message)
        else:
            answer = AnswerListener(send)
            await self._pages(scope, receive, answer)
            if answer.lasts:
                self._keep(question, answer)

    def _question_of(self, scope: Scope) -> Question | None:
        """Return what decides the answer, or None for a request whose answer is not kept."""
        if scope["method"] != "GET" or not scope["path"].startswith(self._prefix) or scope["query_string"]:
            return None
        headers = dict(scope["headers"])
        encoding, proto = (headers.get(name, b"") for name in DECIDES)
        if len(encoding) + len(proto) > MOST_HEADER_BYTES or not PARTIAL.isdisjoint(headers):
            return None
        return scope["path"], encoding, proto

    def _keep(self, question: Question, answer: AnswerListener) -> None:
        if answer.start is None or question in self._kept:
            return
        body = bytes(answer.body)
        self._bytes += len(body)
        self._kept[question] = answer.start, {"type": "http.response.body", "body": body}
        while self._bytes > self._most_bytes:
            _start, gone = self._kept.pop(next(iter(self._kept)))
            self._bytes -= len(gone["body"])


class AnswerListener:
    """Sends an answer on, and remembers it."""

    def __init__(self, send: Send) -> None:
        self.start: Message | None = None
        self.body = bytearray()
        self.whole = False
        self._send = send

    async def __call__(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            self.start = dict(message)
        elif len(self.body) <= MOST_BYTES_EACH:
            self.body += message.get("body", b"")
            self.whole = not message.get("more_body", False)
        await self._send(message)

    @property
    def lasts(self) -> bool:
        """Whether the whole answer passed and may be kept for ever."""
        if self.start is None or self.start["status"] != 200 or not self.whole:
            return False
        headers = {name.lower(): value for name, value in self.start["headers"]}
        return (
            KEPT_FOR_EVER in headers.get(b"cache-control", b"")
            and b"set-cookie" not in headers
            and len(self.body) <= MOST_BYTES_EACH
        )
