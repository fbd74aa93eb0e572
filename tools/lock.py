"""Write locked/: every package that is installed, with the hashes of all files that Linux and macOS may install of it.

The requirements files say what is wanted and why, constraints.txt the versions of what these bring along; the files in
locked/ follow from them, and pip installs nothing whose hash is not there. uv finds the hashes; which platforms count
is in pyproject.toml. `--check` compares without the network.
"""

from __future__ import annotations

import argparse
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from tools.supplies import requirements

ROOT: Final = Path(__file__).resolve().parent.parent
LOCKS: Final = {
    "app": ("requirements.txt",),
    "dev": ("requirements.txt", "requirements-dev.txt"),
    "spark": ("requirements.txt", "requirements-spark.txt"),
}
"""What each file in locked/ follows from. What the app has is not repeated in the others."""
LEAST_PYTHON: Final = "3.11"
EVERYWHERE: Final = re.compile(
    r"(?: and )?platform_python_implementation == 'CPython' and \(sys_platform == 'darwin' or sys_platform == 'linux'\)"
)
"""What holds wherever the app runs."""
HASH: Final = re.compile(r"--hash=sha256:[0-9a-f]{64}")
HEAD: Final = "# Written by `make constraints`; see tools/lock.py.\n"

Locked = dict[str, str]
"""By a package's name: its line, with its hashes."""


def read(text: str) -> Locked:
    """Return the packages of a lock."""
    joined = [each for each in text.replace("\\\n", " ").splitlines() if each and not each.startswith("#")]
    return {canonicalize_name(Requirement(line.split("--hash")[0].strip()).name): line for line in joined}


def write(locked: Locked) -> str:
    """Return a lock's text."""
    found = []
    for name in sorted(locked):
        asked, *hashes = re.split(r"\s+(?=--hash)", locked[name].strip())
        found.append(" \\\n    ".join([asked, *(each.strip() for each in hashes)]))
    return HEAD + "\n".join(found) + "\n"


def compiled(sources: Sequence[str], root: Path = ROOT) -> Locked:
    """Return what uv finds for some requirements files, of all places where the app runs."""
    with tempfile.TemporaryDirectory() as scratch:
        out = Path(scratch) / "lock.txt"
        command = [sys.executable, "-m", "uv", "pip", "compile", *sources, "--universal", "--generate-hashes"]
        command += ["--python-version", LEAST_PYTHON, "--no-header", "--no-annotate", "--quiet"]
        subprocess.run([*command, "--output-file", str(out)], cwd=root, check=True)
        text = out.read_text(encoding="utf-8")
    return read(re.sub(r" ;\s+(?=\\)", " ", EVERYWHERE.sub("", text)))


def problems(root: Path = ROOT) -> Iterator[str]:
    """Yield what is wrong with the locks, without the network."""
    locks = {name: read((root / "locked" / f"{name}.txt").read_text(encoding="utf-8")) for name in LOCKS}
    for name, sources in LOCKS.items():
        there = locks["app"] | locks[name]
        for source in sources:
            for wanted, _why in requirements(root / source):
                if str(wanted.specifier) not in there.get(canonicalize_name(wanted.name), ""):
                    yield f"locked/{name}.txt has not {wanted} of {source}: make constraints"
        for package, line in locks[name].items():
            if not HASH.search(line):
                yield f"locked/{name}.txt: {package} has no hash"
            if "://" in line or line.startswith("-"):
                yield f"locked/{name}.txt: {package} names a place"
    everything = {package: line for lock in locks.values() for package, line in lock.items()}
    for pin, _why in requirements(root / "constraints.txt"):
        if str(pin.specifier) not in everything.get(canonicalize_name(pin.name), ""):
            yield f"constraints.txt has {pin}, which is not locked: make constraints"


def main(argv: Sequence[str] | None = None) -> int:
    """Write the locks, or say what is wrong with them."""
    parser = argparse.ArgumentParser(prog="python -m tools.lock", description=__doc__)
    parser.add_argument("--check", action="store_true", help="only compare, without the network")
    if not parser.parse_args(argv).check:
        locks = {name: compiled(sources) for name, sources in LOCKS.items()}
        for name, locked in locks.items():
            own = (
                locked if name == "app" else {key: locked[key] for key in locked.keys() - locks["app"].keys()}
            )
            (ROOT / "locked" / f"{name}.txt").write_text(write(own), encoding="utf-8")
    found = list(problems())
    for sentence in found:
        print(f"lock: {sentence}")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
