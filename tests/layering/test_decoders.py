"""What unfolds bytes says before how many there may be: a text of some hundred bytes may stand for millions."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Final

import pytest

from tests.layering.sources import ROOT, parse, python_files

PACKAGES: Final = ("engine", "workloads", "sweeps", "spark_jobs", "playground")
BOUNDED: Final = {
    "engine/broker/commands/client_commands.py": "a column: its count is bounded, and decides how many bytes are taken",
    "playground/sessions/scenario_links.py": "a link: links.LARGEST bytes",
    "playground/hosting/session_files.py": "a checkpoint: signed by this server before, of at most CHECKPOINT_BYTES",
    "playground/hosting/real_engine.py": "a checkpoint's run, as above",
    "playground/inspecting/uploads.py": "a zip: read in blocks up to a bound of all, in a process with bounds",
    "playground/models.py": "a scenario's text, packed by this server: models.MOST_TEXT_BYTES",
    "playground/jobs/process.py": "orders and answers between processes of this server: CODEC.most_bytes",
}
"""The files that may unfold bytes or build objects of them, with what bounds each."""
READERS: Final = {
    "zlib": {"decompress", "decompressobj"},
    "bz2": {"decompress", "open", "BZ2File", "BZ2Decompressor"},
    "lzma": {"decompress", "open", "LZMAFile", "LZMADecompressor"},
    "gzip": {"decompress", "open", "GzipFile"},
    "zipfile": {"ZipFile"},
    "tarfile": {"open", "TarFile"},
    "pickle": {"load", "loads", "Unpickler"},
    "marshal": {"load", "loads"},
    "shelve": {"open"},
}
"""By module: what unfolds or builds."""
WRITES: Final = frozenset("wxa")


def unfolding(tree: ast.AST) -> Iterator[tuple[int, str]]:
    """Yield (line, what) of each call that unfolds bytes, `unbounded` where it takes as much as there is."""
    for node in ast.walk(tree):
        if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute):
            continue
        name, owner = node.func.attr, node.func.value
        module = owner.id if isinstance(owner, ast.Name) else ""
        if name in READERS.get(module, ()):
            if name == "decompress":
                yield node.lineno, "unbounded"
            elif not _writes(node):
                yield node.lineno, f"{module}.{name}"
        elif name == "decompress":
            named = any(each.arg == "max_length" for each in node.keywords)
            yield node.lineno, "bounded" if len(node.args) > 1 or named else "unbounded"


def _writes(call: ast.Call) -> bool:
    modes = [*call.args[1:2], *(each.value for each in call.keywords if each.arg == "mode")]
    return any(isinstance(each, ast.Constant) and str(each.value)[:1] in WRITES for each in modes)


def found() -> dict[str, list[tuple[int, str]]]:
    files = {
        path.relative_to(ROOT).as_posix(): list(unfolding(parse(path))) for path in python_files(*PACKAGES)
    }
    return {name: each for name, each in files.items() if each}


def test_only_the_listed_files_unfold_bytes_and_none_without_a_bound() -> None:
    calls = found()
    assert set(calls) == set(BOUNDED)
    unbounded = [
        f"{name}:{line}" for name, each in calls.items() for line, what in each if what == "unbounded"
    ]
    assert not unbounded


@pytest.mark.parametrize(
    ("code", "what"),
    [
        ("zlib.decompress(data)", "unbounded"),
        ("gzip.decompress(data)", "unbounded"),
        ("zlib.decompressobj().decompress(data)", "unbounded"),
        ("reader.decompress(data, 10)", "bounded"),
        ("reader.decompress(data, max_length=10)", "bounded"),
        ("bz2.BZ2File(path)", "bz2.BZ2File"),
        ("pickle.loads(data)", "pickle.loads"),
        ("zipfile.ZipFile(file)", "zipfile.ZipFile"),
        ("tarfile.open(fileobj=file)", "tarfile.open"),
    ],
)
def test_each_way_to_unfold_is_seen(code: str, what: str) -> None:
    assert what in {each for _line, each in unfolding(ast.parse(code))}


def test_what_packs_is_none() -> None:
    packs = "zipfile.ZipFile(sink, 'w')\ntarfile.open(fileobj=sink, mode='w:gz')\ngzip.compress(data)"
    assert not list(unfolding(ast.parse(packs)))
