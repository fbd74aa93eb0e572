"""The preview picture of a link: the lanes of a moment, drawn from the run's own state."""

from __future__ import annotations

import io
from collections.abc import Mapping
from functools import cache
from typing import Any, Final

from django.conf import settings
from PIL import Image, ImageDraw, ImageFont

from engine.backing_queue.message_places import MessagePlace, places_of
from engine.reading.message_places import COUNTED_LETTER, count_of, drawn_queue, letter_of

SIZE: Final = (1200, 630)
PAGE, CARD, INK, FAINT = "#f2f0ea", "#ffffff", "#191c21", "#5d6772"
RAM, DISK, WATER = "#fff9ec", "#eef4f9", "#222d3a"
TONES: Final = {
    "alpha": "#009e73",
    "beta": "#e69f00",
    "gamma": "#56b4e9",
    "delta": "#0072b2",
    "alarm": "#d55e00",
}
LEFT, TOP, RIGHT, WATERLINE, BOTTOM = 60, 190, 1140, 360, 530
BLOCK: Final = 14
ROWS: Final = 6
"""Rows of blocks that fit above and below the water; the number beside the lane's name has them all."""


@cache
def _font(size: int, bold: bool = False) -> ImageFont.FreeTypeFont:
    font = ImageFont.truetype(settings.BASE_DIR / "static" / "vendor" / "fonts" / "inter-latin.woff2", size)
    font.set_variation_by_axes(
        [float(min(32, max(14, size))), 650.0 if bold else 450.0][-len(font.get_variation_axes()) :]
    )
    return font


def draw(title: str, state: dict[str, Any], at_us: int, until_us: int) -> bytes:
    """Return a PNG of a moment.

    Args:
        title: of the run; characters that the picture's font lacks are left out.
        state: a snapshot.
        at_us, until_us: the moment, and where the run ends.
    """
    image = Image.new("RGB", SIZE, PAGE)
    pen = ImageDraw.Draw(image)
    _head(pen, title, at_us, until_us)
    queue = drawn_queue(state)
    pen.rounded_rectangle((LEFT, TOP, RIGHT, BOTTOM), 14, fill=CARD)
    pen.rectangle((LEFT + 1, TOP + 14, RIGHT - 1, WATERLINE), fill=RAM)
    pen.rectangle((LEFT + 1, WATERLINE, RIGHT - 1, BOTTOM - 14), fill=DISK)
    pen.line((LEFT, WATERLINE, RIGHT, WATERLINE), fill=WATER, width=3)
    pen.text((LEFT + 12, WATERLINE - 28), "RAM", FAINT, _font(16))
    pen.text((LEFT + 12, WATERLINE + 8), "disk", FAINT, _font(16))
    places = [place for place in places_of(queue or {}) if not place.unacked]
    width = (RIGHT - LEFT - 80) // len(places)
    for at, place in enumerate(places):
        left = LEFT + 70 + at * width
        _lane(pen, place.name, left, width - 12, *counts_of(queue, place))
    _foot(pen, queue, state["node"])
    out = io.BytesIO()
    image.save(out, "PNG", optimize=True)
    return out.getvalue()


def _head(pen: ImageDraw.ImageDraw, title: str, at_us: int, until_us: int) -> None:
    pen.text((LEFT, 40), "Waterline", FAINT, _font(26, bold=True))
    readable = "".join(char for char in title if ord(char) < 0x250).strip() or "A RabbitMQ classic queue"
    size = 52
    while size > 26 and pen.textlength(readable, _font(size, bold=True)) > RIGHT - LEFT:
        size -= 4
    while pen.textlength(readable, _font(size, bold=True)) > RIGHT - LEFT:
        readable = readable[:-2]
    pen.text((LEFT, 82), readable, INK, _font(size, bold=True))
    clock = f"{at_us / 1e6:.1f} s" + (f" of {until_us / 1e6:.0f} s" if until_us > at_us else "")
    pen.text((RIGHT, 44), clock, FAINT, _font(24), anchor="ra")


def counts_of(queue: Mapping[str, Any] | None, place: MessagePlace) -> tuple[int, int, str]:
    """Return how many contents of a lane are above the water and below it, and the state of those below."""
    if queue is None:
        return 0, 0, COUNTED_LETTER
    name = place.name
    if place.counted:
        return 0, count_of(queue, name), COUNTED_LETTER
    letters = [(letter_of(name, extent[4]), extent[1]) for extent in queue["lanes"][name]]
    above = sum(count for letter, count in letters if letter == "alpha")
    below = count_of(queue, name) - above
    return above, below, "beta" if any(letter == "beta" for letter, _count in letters) else "gamma"


def memory_tone(node: Mapping[str, Any]) -> str:
    """Return the colour of the memory: below the paging line, above it, or with the alarm on."""
    memory = node["memory"]
    if node["alarms"].get("memory"):
        return "alarm"
    return "alpha" if (memory.get("process_memory") or 0) < (memory.get("paging_at") or 0) else "beta"


def _lane(
    pen: ImageDraw.ImageDraw, name: str, left: int, width: int, above: int, below: int, tone: str
) -> None:
    pen.line((left - 6, TOP + 14, left - 6, BOTTOM - 14), fill="#e4e0d7")
    pen.text((left, TOP + 12), name, INK, _font(22, bold=True))
    pen.text((left + width, TOP + 14), f"{above + below:,}".replace(",", " "), FAINT, _font(18), anchor="ra")
    in_row = width // (BLOCK + 3)
    for count, base, step, colour in (
        (above, WATERLINE - BLOCK - 8, -1, TONES["alpha"]),
        (below, WATERLINE + 34, 1, TONES[tone]),
    ):
        for number in range(min(count, in_row * ROWS)):
            x = left + (number % in_row) * (BLOCK + 3)
            y = base + step * (number // in_row) * (BLOCK + 3)
            pen.rounded_rectangle((x, y, x + BLOCK, y + BLOCK), 3, fill=colour)


def _foot(pen: ImageDraw.ImageDraw, queue: Mapping[str, Any] | None, node: dict[str, Any]) -> None:
    memory = node["memory"]
    used, limit = memory.get("process_memory") or 0, memory.get("limit") or 1
    y = 562
    pen.text((LEFT, y - 4), "memory", FAINT, _font(20))
    pen.rounded_rectangle((LEFT + 100, y, LEFT + 500, y + 16), 8, fill="#e4e0d7")
    share = min(1.0, used / limit)
    colour = TONES[memory_tone(node)]
    if share > 0.03:
        pen.rounded_rectangle((LEFT + 100, y, LEFT + 100 + int(400 * share), y + 16), 8, fill=colour)
    pen.text((LEFT + 516, y - 4), f"{round(100 * used / limit)} % of the watermark", FAINT, _font(20))
    ready = queue["counters"].get("len", 0) if queue else 0
    pen.text((RIGHT, y - 4), f"{ready:,} ready".replace(",", " "), INK, _font(20, bold=True), anchor="ra")
