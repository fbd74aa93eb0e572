"""No style of a session's page asks what an element around the stage has inside.

A browser would style the whole page anew with each element that comes or goes: twelve times a second while a run plays.
"""

import re
from typing import Final

from tests.layering.sources import ROOT

CSS: Final = ROOT / "static/css"
ASKS: Final = re.compile(r"(?P<asked>[^\s,>+~{}]*):has\(")
AROUND: Final = re.compile(r"$|[:*]|(?:html|body|main|\.live|#live|\.beside|\.stage)(?![\w-])")


def askers(text: str) -> list[str]:
    """Return the selectors of a style sheet that ask an element around the stage, as far as the question."""
    rules = re.sub(r"/\*.*?\*/", "", text, flags=re.DOTALL)
    return [found["asked"] for found in ASKS.finditer(rules) if AROUND.match(found["asked"])]


def test_no_style_asks_what_is_around_the_stage() -> None:
    session = (CSS / "session.css").read_text("utf-8")
    names = ["base.css", *re.findall(r'@import "([a-z-]+\.css)"', session)]
    assert len(names) > 10
    found = {name: askers((CSS / name).read_text("utf-8")) for name in names}
    assert {name: asked for name, asked in found.items() if asked} == {}


def test_a_question_is_seen() -> None:
    for rule in (
        "body:has(.console) {",
        ".live:has(> .story) .hints {",
        "main:not(.embed, :has(.demo)) {",
        ":has(li) {",
    ):
        assert askers(rule)
    assert not askers(".seg label:has(:checked), .clients:not(:has(li)) {")
