"""`python -m tools.timelines`: draw the time line of one run live, by its link, and in the page that works offline.

The run is that of a walk in which the three differed: 12 messages, 40 more, a consumer. The page's own scripts say what
is drawn (`layout/charts.js`); here it is only painted.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any, Final

import msgspec
from PIL import Image, ImageDraw

from engine.replay import on_ledger

ROOT: Final = Path(__file__).resolve().parent.parent
PICTURE: Final = ROOT / "docs" / "img" / "timelines.png"
UNTIL_US: Final = 16_000_000
SCENARIO: Final[dict[str, Any]] = {
    "version": 1,
    "profile": "classroom",
    "until_us": UNTIL_US,
    "commands": [
        {"at_us": 1_000_000, "do": "publish", "count": 12, "size_bytes": 6144},
        {"at_us": 4_000_000, "do": "publish", "count": 40, "size_bytes": 6144},
        {
            "at_us": 9_000_000,
            "do": "set_consumer",
            "name": "c1",
            "rate_per_s": 12,
            "prefetch": 4,
            "ack": "each",
        },
    ],
}
WIDTH, HEIGHT, EDGE, TITLE = 900, 110, 14, 22


def drawn(node_js: str) -> list[dict[str, Any]]:
    """Return what the page's chart draws in each way: its layers, each with its points, in pixels of one box."""
    node = on_ledger(SCENARIO)
    node.advance(UNTIL_US)
    news = node.log.since(0)
    assert news is not None
    box = {"x": EDGE, "y": TITLE, "w": WIDTH - 2 * EDGE, "h": HEIGHT - TITLE - 4}
    asked = {"rows": news.rows, "at_us": news.at_us, "until_us": UNTIL_US, "box": box}
    ran = subprocess.run(
        [node_js, "tools/timelines.mjs"],
        cwd=ROOT,
        input=msgspec.json.encode(asked),
        stdout=subprocess.PIPE,
        check=True,
    )
    found: list[dict[str, Any]] = json.loads(ran.stdout)
    return found


def colours() -> dict[str, str]:
    """Return the light colour of each letter, as the style sheet has it."""
    text = (ROOT / "static/css/tokens.css").read_text(encoding="utf-8")
    return dict(reversed(re.findall(r"--(alpha|beta|gamma|delta): light-dark\((#[0-9a-f]{6})", text)))


def paint(ways: list[dict[str, Any]]) -> Image.Image:
    """Return one picture with the ways below each other."""
    picture = Image.new("RGB", (WIDTH, HEIGHT * len(ways)), "white")
    pen = ImageDraw.Draw(picture)
    tones = colours()
    for at, way in enumerate(ways):
        down = at * HEIGHT
        pen.text((EDGE, down + 5), f"{way['way']}: at most {way['top']} ready", fill="#333333")
        for layer in way["layers"]:
            low = [(x, y + down) for x, y, _high in layer["points"]]
            high = [(x, y + down) for x, _low, y in reversed(layer["points"])]
            pen.polygon(low + high, fill=tones[layer["name"]])
        pen.line((EDGE, down + HEIGHT - 4, WIDTH - EDGE, down + HEIGHT - 4), fill="#999999")
    return picture


def main() -> int:
    """Draw the picture."""
    node_js = subprocess.run(
        [ROOT / "tools" / "ensure_node.sh"], check=True, stdout=subprocess.PIPE, text=True
    )
    ways = drawn(node_js.stdout.strip())
    paint(ways).quantize(64, dither=Image.Dither.NONE).save(PICTURE, optimize=True)
    print(f"timelines: {', '.join(way['way'] for way in ways)} in {PICTURE.name}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
