"""`python -m tools.proofs.questions`: ask real nodes the grid, keep the answers, and make the tables."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

from tools.proofs.differential.installation import LATEST, RELEASES
from tools.proofs.differential.node import PrivateNode
from tools.proofs.questions import grid, tables
from tools.proofs.questions.node import NodeAnswer

ROOT = Path(__file__).resolve().parents[3]
KEPT = ROOT / "tests" / "recordings" / "questions"
TABLES = ROOT / "engine" / "amqp" / "tables.py"


def ask(release: str, names: int | None = None) -> dict[str, Any]:
    """Return a node's answers by theme; each is a list of what was asked and what was said.

    Args:
        names: so many of each kind only.
    """
    with PrivateNode(release=release) as node:
        node.start()
        with closing(NodeAnswer(node)) as asked:
            return {
                "arguments": [
                    [{name: value}, asked.argument({name: value})]
                    for name in grid.ARGUMENTS[:names]
                    for value in grid.values(name)
                    if not isinstance(value, float)  # the client's library sends none
                ],
                "again": [
                    [{name: value}, asked.again({name: value})]
                    for name, value in [*grid.AGAIN.items()][:names]
                ],
                "policies": [
                    [{key: value}, asked.policy(definition={key: value})]
                    for key in grid.KEYS[:names]
                    for value in grid.values(key)
                ],
                "definitions": [[each, asked.policy(definition=each)] for each in grid.TOGETHER[:names]],
                "apply_to": [[each, asked.policy(apply_to=each)] for each in grid.APPLY_TO[:names]],
                "priorities": [[each, asked.policy(priority=each)] for each in grid.PRIORITIES[:names]],
                "patterns": [[each, asked.policy(pattern=each)] for each in grid.PATTERNS[:names]],
                "exchange_types": [[each, asked.exchange(each)] for each in grid.TYPES[:names]],
                "kept": [
                    [definition, asked.kept(definition)]
                    for definition in (
                        {"max-length": 1, key: value} for key, value in [*grid.GOOD.items()][:names]
                    )
                ],
                "kept_by_apply_to": [
                    [each, asked.kept({"max-length": 1}, each)] for each in grid.APPLY_TO[:-2][:names]
                ],
            }


def main(argv: Sequence[str] | None = None) -> int:
    """Ask and write; answers that go to another file leave the tables as they are."""
    parser = argparse.ArgumentParser(prog="python -m tools.proofs.questions", description=__doc__)
    parser.add_argument("--release", choices=RELEASES, default=LATEST, help="of the real broker")
    parser.add_argument("--out", type=Path, help="else beside the recordings, of which the tables are made")
    parser.add_argument("--names", type=int, help="ask so many of each kind only")
    options = parser.parse_args(argv)
    out = options.out or KEPT / f"validation-{options.release}.json"
    found = ask(options.release, options.names)
    out.parent.mkdir(parents=True, exist_ok=True)
    themes = [f" {json.dumps(theme)}: [\n{_rows(rows)}\n ]" for theme, rows in found.items()]
    out.write_text("{\n" + ",\n".join(themes) + "\n}\n", encoding="utf-8")
    if options.out is None:
        tables.write(KEPT, TABLES)
    print(f"questions: {sum(map(len, found.values()))} asked of {options.release}")
    return 0


def _rows(rows: list[Any]) -> str:
    return ",\n".join(f"  {json.dumps(each)}" for each in rows)


if __name__ == "__main__":
    sys.exit(main())
