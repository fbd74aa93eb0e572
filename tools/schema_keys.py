"""`python -m tools.schema_keys RELEASE=PLUGINS ...`: the keys of rabbitmq.conf, from the releases' own schemas.

PLUGINS is the directory of a release with its plugins, unpacked or as .ez files. A release reads the schemas of all
plugins that lie there, enabled or not. The keys go into `playground/inspecting/schema_keys.json`: each with the places
of the releases that have it; `$` stands for any one step of a key.
"""

from __future__ import annotations

import argparse
import json
import re
import zipfile
from collections import defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

OUT: Final = Path(__file__).resolve().parent.parent / "playground" / "inspecting" / "schema_keys.json"
COMMENT: Final = re.compile(r"^\s*%.*$", re.MULTILINE)
MAPPING: Final = re.compile(r'\{\s*(?:mapping|alias)\s*,\s*"([^"]+)"')
PARTIAL: Final = re.compile(r'\{include_partial,\s*\{\w+,\s*"(\w+)"\},\s*\[(.*?)\]\}\.', re.DOTALL)
PREFIX: Final = re.compile(r'\{prefix,\s*"([^"]+)"\}')
VARIABLE: Final = re.compile(r"\$\w+")


def schemas(plugins: Path) -> Iterator[tuple[str, str]]:
    """Yield name and text of each schema and partial schema of a release."""
    for path in sorted(plugins.rglob("*")):
        if path.suffix in (".schema", ".partial"):
            yield path.name, path.read_text()
        elif path.suffix == ".ez":
            with zipfile.ZipFile(path) as packed:
                for name in sorted(packed.namelist()):
                    if name.endswith((".schema", ".partial")):
                        yield name.rpartition("/")[2], packed.read(name).decode()


def keys_of(plugins: Path) -> set[str]:
    """Return the keys that a release takes."""
    texts = {name: COMMENT.sub("", text) for name, text in schemas(plugins)}
    found: set[str] = set()
    for name, text in texts.items():
        if name.endswith(".schema"):
            found.update(MAPPING.findall(text))
            for partial, options in PARTIAL.findall(text):
                prefix = PREFIX.search(options)
                inside = MAPPING.findall(texts[f"{partial}.partial"])
                found.update(f"{prefix[1]}.{key}" for key in inside if prefix is not None)
                found.update([prefix[1]] if prefix is not None else [])
    return {VARIABLE.sub("$", key) for key in found}


def main(argv: Sequence[str] | None = None) -> int:
    """Write the file."""
    parser = argparse.ArgumentParser(prog="python -m tools.schema_keys", description=__doc__)
    parser.add_argument("plugins", nargs="+", metavar="RELEASE=PLUGINS")
    given = dict(each.split("=", 1) for each in parser.parse_args(argv).plugins)
    have: dict[str, str] = defaultdict(str)
    for at, plugins in enumerate(given.values()):
        for key in keys_of(Path(plugins)):
            have[key] += str(at)
    OUT.write_text(json.dumps({"releases": list(given), "keys": dict(sorted(have.items()))}, indent=1) + "\n")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
