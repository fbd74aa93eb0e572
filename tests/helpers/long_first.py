"""The order of tests for several workers: each begins with its share of what takes long.

pytest-xdist's `worksteal` gives each worker a piece of the list, of equal length, and a worker without work takes the
end of another's piece. A test of a minute at the end of a piece is begun last, while all others have nothing to do.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import islice
from typing import Final

TOGETHER: Final = (
    "tests/proofs/wasm/",
    "tests/layering/",
    "tests/golden/test_inspect_file.py",
    "tests/house/test_compiled_python.py",
    "tests/rules/test_coverage.py",
    "tests/unit/spark_jobs/test_publish.py",
    "tests/web/test_static_edition.py",
)
"""Folders and files whose tests share what takes most of their time (an engine, all sources parsed, an edition).

One worker gets all of one; otherwise each that has a long test of it would make that anew.
"""


def dealt(names: Sequence[str], workers: int, seconds: Mapping[str, float]) -> list[str]:
    """Return tests so that each of the list's equal pieces begins with its share of what takes long.

    Args:
        names: of the tests in the order in which they were found.
        workers: how many pieces the list is cut into.
        seconds: by their names, what those take that take long.
    """
    shares: dict[str, list[str]] = {}
    for name in names:
        folder = next((each for each in TOGETHER if name.startswith(each)), None)
        if folder or name in seconds:
            shares.setdefault(folder or name, []).append(name)
    long = sorted(shares.values(), key=lambda share: -sum(seconds.get(name, 0.0) for name in share))
    dear = {name for share in long for name in share}
    rest = iter([name for name in names if name not in dear])
    order: list[str] = []
    for worker in range(workers):
        piece = [name for share in long[worker::workers] for name in share]
        size = (len(names) - len(order)) // (workers - worker)
        order += [*piece, *islice(rest, max(0, size - len(piece)))]
    return [*order, *rest]


def longest_files(names: Sequence[str], seconds: Mapping[str, float]) -> list[str]:
    """Return tests folder by folder, in each those files first that take longest: a worker gets the next whole file.

    The folders keep their order, as the tests of one share what they start, such as a browser.
    """
    folders: dict[str, dict[str, list[str]]] = {}
    for name in names:
        file = name.partition("::")[0]
        folders.setdefault(file.rpartition("/")[0], {}).setdefault(file, []).append(name)
    order: list[str] = []
    for files in folders.values():
        longest = sorted(files.values(), key=lambda file: -sum(seconds.get(name, 0.0) for name in file))
        order += [name for file in longest for name in file]
    return order
