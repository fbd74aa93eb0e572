"""The table of metrics in docs/whatif.md, from the registry."""

from __future__ import annotations

from pathlib import Path

from engine.metrics import METRICS

PAGE = Path(__file__).resolve().parents[2] / "docs" / "whatif.md"
BEGIN, END = "<!-- metrics: written by `python -m tools.catalogue` -->\n", "<!-- /metrics -->\n"
BETTER = {"lower": "less", "higher": "more", "neither": ""}


def with_table(text: str) -> str:
    """Return the page's text with the current table between its marks; raise ValueError where these are gone."""
    before, _begin, rest = text.partition(BEGIN)
    _old, end, after = rest.partition(END)
    if not end:
        raise ValueError(f"{PAGE.name} has lost the marks around its table of metrics: {BEGIN.strip()}")
    lines = ["| metric | unit | better | what it is |", "|---|---|---|---|"]
    lines += [
        f"| `{each.name}` | {each.unit} | {BETTER[each.better]} | {each.help} |" for each in METRICS.values()
    ]
    table = "\n".join(lines)
    return f"{before}{BEGIN}{table}\n{END}{after}"


def is_stale() -> bool:
    text = PAGE.read_text("utf-8")
    return with_table(text) != text


def write() -> None:
    PAGE.write_text(with_table(PAGE.read_text("utf-8")), "utf-8")
