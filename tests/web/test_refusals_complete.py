"""Every sentence with which the engine refuses a command or a scenario has a form that is translated."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

from playground.hosting.refusals import KNOWN

ENGINE = Path(__file__).resolve().parents[2] / "engine"
REFUSALS = {"CommandError", "ScenarioError"}
SAMPLES = {"explain(error)": "x must be at least 7", "error": "x must be at least 7", "what": "queue"}
"""What stands for a part of a sentence that is more than a name; any other part is a 7."""


def sentences() -> Iterator[tuple[str, str]]:
    """Yield where each sentence is made, and the sentence with something in its places."""
    for path in sorted(ENGINE.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_bytes())):
            if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Name) or not node.args:
                continue
            if node.func.id in REFUSALS and isinstance(node.args[0], ast.Constant | ast.JoinedStr):
                place = f"{path.relative_to(ENGINE)}:{node.lineno}"
                yield place, "".join(filled(node.args[0]))


def filled(text: ast.Constant | ast.JoinedStr) -> Iterator[str]:
    """Yield the parts of a text, with a sample in each place."""
    for part in text.values if isinstance(text, ast.JoinedStr) else [text]:
        if isinstance(part, ast.FormattedValue):
            yield SAMPLES.get(ast.unparse(part.value), "7")
        else:
            yield str(part.value)


@pytest.mark.parametrize(("place", "sentence"), list(sentences()), ids=lambda each: each[:60])
def test_a_refusal_is_translated(place: str, sentence: str) -> None:
    assert any(form.fullmatch(sentence) for form, _text in KNOWN), (
        f"engine/{place}: add a form for: {sentence}"
    )
