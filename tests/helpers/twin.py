"""The page's own modules, run by Node.js on cases from Python: what both languages know they must know alike."""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import Any

import msgspec

from engine.values.sizes import plain


class Twin:
    """Asks the page.

    Args:
        node_js: path of Node.js.
        root: of the repository.
    """

    def __init__(self, node_js: str, root: Path) -> None:
        self.node_js = node_js
        self.root = root

    def evaluate(self, expression: str, module: str) -> Any:
        """Return what a JavaScript expression over a module's exports comes to, as plain data.

        Args:
            expression: such as `Object.keys(m.NAMES)`; `m` is the module.
            module: a file below static/js.
        """
        begun = 'import "./static/js/generations/all.js"; '  # as every page that has a state begins
        program = (
            f'{begun}import * as m from "./static/js/{module}"; console.log(JSON.stringify({expression}))'
        )
        asked = subprocess.run(
            [self.node_js, "--input-type=module", "--eval", program],
            capture_output=True,
            check=True,
            cwd=self.root,
        )
        return msgspec.json.decode(asked.stdout)

    def agrees(self, script: str, runs: list[Any]) -> str:
        """Fail with the first difference between the page's answers and those in `runs`; return what was printed.

        Args:
            script: a file of tests/js that reads one run after the other; see tests/js/asking.mjs.
            runs: cases with Python's answers, as plain data.
        """
        asked = subprocess.run(
            [self.node_js, f"tests/js/{script}"],
            input=msgspec.json.encode(runs, enc_hook=plain),
            capture_output=True,
            check=False,
            cwd=self.root,
        )
        assert asked.returncode == 0, asked.stdout.decode() + asked.stderr.decode()
        return asked.stdout.decode()
