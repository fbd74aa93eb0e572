"""A light reading of JavaScript modules: enough to see what a file imports and which names it uses."""

import re
from collections.abc import Iterator
from posixpath import dirname, join, normpath

MAY_IMPORT: dict[str, tuple[str, ...]] = {
    "model": (),
    "layout": ("model",),
    "net": ("model",),
    "view/base": ("model",),
    "view/stage": ("view/base", "layout", "model"),
    "view/files": ("view/base", "net", "layout", "model"),
    "view/time": ("view/base", "layout", "model"),
    # Plots are drawn by a library that is loaded when they are opened.
    "view/panels": (
        "view/time",
        "view/files",
        "view/stage",
        "view/base",
        "layout",
        "model",
        "../vendor/uplot",
    ),
    "view/page": (
        "view/panels",
        "view/time",
        "view/files",
        "view/stage",
        "view/base",
        "layout",
        "model",
        "../vendor/gifenc",
    ),
    "view/inspect": ("view/base", "model"),
    # Kinds of queues: what each has of its own. Common rooms find it in model/generations.js and import none of it;
    # kinds do not know each other, and only the files of the room itself, which register them, import them.
    "generations": ("generations/*", "model"),
    "generations/v1/model": ("model",),
    "generations/v1/layout": ("generations/v1/model", "layout", "model"),
    "generations/v1/view": (
        "generations/v1/layout",
        "generations/v1/model",
        "view/files",
        "view/base",
        "layout",
        "model",
    ),
    "generations/v2/model": ("model",),
    "generations/v2/layout": ("generations/v2/model", "layout", "model"),
    "generations/v2/view": (
        "generations/v2/layout",
        "generations/v2/model",
        "view/files",
        "view/base",
        "layout",
        "model",
    ),
    # Written into a page that works from a disk, where no module can be imported by its path.
    "offline": (),
    # Runs in a worker, on its own.
    "wasm": (),
    # Pages whose sessions and sweeps run in the reader's own browser.
    "edition": ("pages", "exercises", "whatif", "view", "net", "layout", "model"),
    **dict.fromkeys(("classroom", "whatif"), ("view", "net", "layout", "model")),
    **dict.fromkeys(("pages", "compare", "exercises"), ("generations", "view", "net", "layout", "model")),
}
"""For each room of static/js, the rooms that it may import beside itself; reasons: docs/internals/layers.md."""

PURE_ROOMS = (
    "model",
    "layout",
    *(f"generations/{kind}/{room}" for kind in ("v1", "v2") for room in ("model", "layout")),
)
"""Rooms that compute only: no page, no drawing, so that they run in Node.js as they are."""

PAGE_NAMES = (
    "document window navigator location localStorage sessionStorage history screen "
    "HTMLElement Element Node Event CustomEvent EventTarget MutationObserver ResizeObserver "
    "CanvasRenderingContext2D OffscreenCanvas Path2D requestAnimationFrame cancelAnimationFrame "
    "WebSocket fetch XMLHttpRequest htmx alert DOMRect DOMParser"
).split()

PAGE_METHODS = "querySelector querySelectorAll addEventListener getContext innerHTML textContent".split()

TOKENS = re.compile(
    r"""//[^\n]*|/\*.*?\*/|'(?:\\.|[^'\\\n])*'|"(?:\\.|[^"\\\n])*"|`(?:\\.|[^`\\])*`""",
    re.DOTALL,
)
COMMENT = re.compile(
    r"""('(?:\\.|[^'\\\n])*'|"(?:\\.|[^"\\\n])*"|`(?:\\.|[^`\\])*`)|//[^\n]*|/\*.*?\*/""", re.DOTALL
)
NAMED = r"""(?:^|;)\s*(?:import\b(?:[^'";(]*?\bfrom)?|export\b[^'";(=]*?\bfrom)\s*['"]([^'"\n]+)['"]"""
LATE = r"""\bimport\(\s*['"]([^'"\n]+)['"]"""
IMPORT = re.compile(f"{NAMED}|{LATE}", re.MULTILINE)


def imported_paths(source: str) -> list[str]:
    """Return the paths that a module imports, statically or not, as it writes them."""
    code = COMMENT.sub(lambda match: match[1] or " ", source)
    return [named or late for named, late in IMPORT.findall(code)]


def code_only(source: str) -> str:
    """Return the source with comments and text blanked out; `${...}` inside a template stays."""

    def blank(match: re.Match[str]) -> str:
        text = match[0]
        kept = " ".join(re.findall(r"\$\{([^}]*)\}", text)) if text.startswith("`") else ""
        return kept + "\n" * text.count("\n")

    return TOKENS.sub(blank, source)


def comments(source: str) -> Iterator[tuple[int, str]]:
    """Yield line number and text of each line of a comment, of a script or a style sheet."""
    for match in COMMENT.finditer(source):
        if match[1] is None:
            first = source.count("\n", 0, match.start()) + 1
            yield from enumerate(match[0].splitlines(), start=first)


def breaches(source: str, path: str) -> Iterator[str]:
    """Yield a sentence for each import that a script's room does not allow, and for each use of the page in a pure one.

    `path` is relative to static/js, with forward slashes: `model/reduce.js`.
    """
    room = room_of(path)
    for target in imported_paths(source):
        if not allows(
            room, room_of(normpath(join(dirname(path), target)) if target.startswith(".") else target)
        ):
            yield f"{path} imports {target}; {room}/ may import only {', '.join((room, *MAY_IMPORT[room]))}"
    if room in PURE_ROOMS:
        yield from _page_uses(source, path)


def room_of(path: str) -> str:
    """Return the room of a path relative to static/js: its longest folder that the table knows, else its folder."""
    folder = dirname(path)
    while folder and folder not in MAY_IMPORT:
        folder = dirname(folder)
    return folder or dirname(path)


def allows(room: str, target: str) -> bool:
    """Return whether a script of one room may import one of another.

    `view` stands for all rooms in it, and `generations/*` for those in `generations`, which alone is its own files.
    """
    for each in (room, *MAY_IMPORT[room]):
        inside = "generations/" if each == "generations/*" else f"{each}/"
        if target == each or (each != "generations" and target.startswith(inside)):
            return True
    return False


def _page_uses(source: str, path: str) -> Iterator[str]:
    code = code_only(source)
    for name in PAGE_NAMES:
        # A property of that name on another object (`span.location`), or a key, is not the page's.
        if re.search(rf"(?<![\w$.#]){name}(?![\w$]|\s*:)|globalThis\.{name}\b", code):
            yield f"{path} mentions {name}"
    for name in PAGE_METHODS:
        if re.search(rf"\.{name}\b", code):
            yield f"{path} uses .{name}"
