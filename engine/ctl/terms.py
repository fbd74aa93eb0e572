"""Values in lines of the console: as JSON that somebody writes, and as Elixir prints them."""

from __future__ import annotations

import json
from typing import Any


def inspected(value: Any) -> str:
    """Return a value as Elixir prints it."""
    if isinstance(value, list):
        return f"[{', '.join(map(inspected, value))}]"
    if isinstance(value, dict):
        return f"%{{{', '.join(f'{inspected(name)} => {inspected(each)}' for name, each in value.items())}}}"
    return json.dumps(value, ensure_ascii=False)


def decoded(text: str) -> Any:
    """Return what a definition says; the broker's decoder takes texts in single quotes, too.

    Raises:
        ValueError: it is no JSON.
    """
    return json.loads(text.replace("'", '"') if '"' not in text else text)
