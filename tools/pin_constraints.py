"""Print constraints.txt: the versions, as installed, of what the pinned requirements bring along."""

import re
from importlib.metadata import distributions
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
NOT_OURS = {"pip", "setuptools", "wheel", "uv"}


def canonical(name: str) -> str:
    """Return a package's name as the index compares it."""
    return re.sub(r"[-_.]+", "-", name).lower()


def direct_names() -> set[str]:
    """Return the packages that the requirements files name themselves."""
    names = set()
    for path in ROOT.glob("requirements*.txt"):
        for line in path.read_text().splitlines():
            found = re.match(r"([A-Za-z0-9_.-]+)(?:\[[^\]]*\])?==", line)
            if found:
                names.add(canonical(found[1]))
    return names


def main() -> None:
    """Print one pinned line for each package that is not named directly."""
    left_out = direct_names() | NOT_OURS
    pins = {canonical(each.name): each.version for each in distributions()}
    print("# Exact versions of everything that the pinned requirements bring along.")
    print("# Made by `make constraints`; a constraint installs nothing by itself.\n")
    for name in sorted(pins.keys() - left_out):
        print(f"{name}=={pins[name]}")


if __name__ == "__main__":
    main()
