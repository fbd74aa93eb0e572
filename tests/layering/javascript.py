"""A light reading of JavaScript modules: enough to see what a file imports and which names it uses."""

import re
from collections.abc import Iterator
from pathlib import PurePosixPath

from tools.script_imports import imported_paths

PURE_FOLDERS = ("model", "layout")
"""Folders of static/js that compute only: no page, no drawing, so that they run in Node.js as they are."""

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


def code_only(source: str) -> str:
    """Return the source with comments and text blanked out; `${...}` inside a template stays."""

    def blank(match: re.Match[str]) -> str:
        text = match[0]
        kept = " ".join(re.findall(r"\$\{([^}]*)\}", text)) if text.startswith("`") else ""
        return kept + "\n" * text.count("\n")

    return TOKENS.sub(blank, source)


def breaches(source: str, path: str) -> Iterator[str]:
    """Yield a sentence for each way in which a file of a pure folder knows the page.

    `path` is relative to static/js, with forward slashes: `model/reduce.js`.
    """
    folder = PurePosixPath(path).parts[0]
    if folder not in PURE_FOLDERS:
        return
    allowed = PURE_FOLDERS[: PURE_FOLDERS.index(folder) + 1]
    for target in imported_paths(source):
        top = _resolve(path, target)
        if top not in allowed:
            yield f"{path} imports {target}; {folder}/ may import only {' and '.join(allowed)}"
    code = code_only(source)
    for name in PAGE_NAMES:
        # A property of that name on another object (`span.location`), or a key, is not the page's.
        if re.search(rf"(?<![\w$.#]){name}(?![\w$]|\s*:)|globalThis\.{name}\b", code):
            yield f"{path} mentions {name}"
    for name in PAGE_METHODS:
        if re.search(rf"\.{name}\b", code):
            yield f"{path} uses .{name}"


def _resolve(path: str, target: str) -> str:
    if not target.startswith("."):
        return target
    parts = list(PurePosixPath(path).parent.parts)
    for step in PurePosixPath(target).parts:
        if step == "..":
            if not parts:
                return target
            parts.pop()
        else:
            parts.append(step)
    return parts[0] if len(parts) > 1 else target
