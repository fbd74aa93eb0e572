"""`python -m tools.proofs.wasm node|chromium DIST/wasm [NAME...]`: play scenarios there, and compare their digests.

All ready scenarios and exercises without a NAME; then what was found goes into fidelity/webassembly.json. Prints a line
for each; ends with 1 where a digest is not the native one.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tools.measured_on import measured_on
from tools.proofs.wasm import chromium

ROOT = Path(__file__).resolve().parents[3]
KEPT = ROOT / "fidelity" / "webassembly.json"


def in_node(wasm: Path, names: list[str]) -> list[dict[str, Any]]:
    """Return a row for each scenario that was played in Node.js."""
    node = subprocess.run(
        [ROOT / "tools" / "ensure_node.sh"], check=True, stdout=subprocess.PIPE, text=True
    ).stdout.strip()
    command = [node, ROOT / "tools" / "proofs" / "wasm" / "digests.mjs", wasm, *names]
    played = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True)
    rows: list[dict[str, Any]] = json.loads(played.stdout)
    return rows


PLACES: dict[str, Callable[[Path, list[str]], list[dict[str, Any]]]] = {
    "node": in_node,
    "chromium": chromium.rows,
}


def keep(place: str, rows: list[dict[str, Any]], path: Path) -> None:
    """Write what was found in one place; the other's stays."""
    found = json.loads(path.read_text("utf-8")) if path.exists() else {}
    different = sorted(row["name"] for row in rows if row["digest"] != row["native"])
    figures = {"measured_on": measured_on(), "played": len(rows), "different": different}
    digests = {row["name"]: row["native"] for row in sorted(rows, key=lambda row: str(row["name"]))}
    places = {name: found[name] for name in PLACES if name in found}
    path.write_text(json.dumps({**places, place: figures, "digests": digests}, indent=1) + "\n", "utf-8")


def main(arguments: list[str]) -> int:
    """Play, print and compare."""
    parser = argparse.ArgumentParser(prog="python -m tools.proofs.wasm", description=__doc__)
    parser.add_argument("place", choices=PLACES)
    parser.add_argument("wasm", type=Path)
    parser.add_argument("names", nargs="*")
    asked = parser.parse_args(arguments)
    began = time.perf_counter()
    rows = PLACES[asked.place](asked.wasm, asked.names)
    for row in rows:
        print(json.dumps(row))
    if not asked.names:
        keep(asked.place, rows, KEPT)
    different = [row["name"] for row in rows if row["digest"] != row["native"]]
    seconds = time.perf_counter() - began
    print(f"{asked.place}: {len(rows)} scenarios, {len(different)} with another digest, {seconds:.1f} s")
    return 0 if rows and not different else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
