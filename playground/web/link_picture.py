"""The preview picture of a link: the lanes of a moment, drawn from the run's own state."""

from __future__ import annotations

import io
from collections.abc import Mapping
from functools import cache
from typing import Any, Final

from django.conf import settings
from django.utils import translation
from PIL import Image, ImageDraw, ImageFont

from engine.broker.commands.settings import release_of
from playground.storybook import cards
from playground.storybook.cards import BLOCK, BOTTOM, DISK, RAM, STEP, WATER, WIDTH, MemoryLevel, StagePicture

SIZE: Final = (1200, 630)
PAGE, CARD, INK, FAINT, LINE = "#f2f0ea", "#ffffff", "#191c21", "#5d6772", "#e4e0d7"
TONES: Final = {
    "ram": "#fff9ec",
    "disk": "#eef4f9",
    "water": "#222d3a",
    "alpha": "#009e73",
    "beta": "#e69f00",
    "gamma": "#56b4e9",
    "delta": "#0072b2",
    "alarm": "#d55e00",
}
LEFT, RIGHT, TOP, FOOT = 60, 1140, 156, 540
SCALE: Final = (RIGHT - LEFT) / WIDTH


@cache
def _font(size: int, bold: bool = False) -> ImageFont.FreeTypeFont:
    font = ImageFont.truetype(settings.BASE_DIR / "static" / "vendor" / "fonts" / "inter-latin.woff2", size)
    font.set_variation_by_axes(
        [float(min(32, max(14, size))), 650.0 if bold else 450.0][-len(font.get_variation_axes()) :]
    )
    return font


def draw(title: str, scenario: Mapping[str, Any], state: Mapping[str, Any], at_us: int) -> bytes:
    """Return a PNG of a moment. `title`: of the run; characters that the picture's font lacks are left out. `at_us`:
    the moment, in virtual microseconds.
    """
    image = Image.new("RGB", SIZE, PAGE)
    pen = ImageDraw.Draw(image)
    release = release_of(scenario["profile"], state["node"]["settings"]).name
    _head(pen, title, release, at_us, scenario["until_us"])
    picture = cards.picture_of(state) or StagePicture([])
    _stage(pen, picture)
    with translation.override("en"):  # the font has no Chinese
        _foot(pen, picture, cards.memory_of(state))
    out = io.BytesIO()
    image.save(out, "PNG", optimize=True)
    return out.getvalue()


def _head(pen: ImageDraw.ImageDraw, title: str, release: str, at_us: int, until_us: int) -> None:
    pen.text((LEFT, 40), "Waterline", FAINT, _font(26, bold=True))
    readable = "".join(char for char in title if ord(char) < 0x250).strip() or "A RabbitMQ classic queue"
    size = 52
    while size > 26 and pen.textlength(readable, _font(size, bold=True)) > RIGHT - LEFT:
        size -= 4
    while pen.textlength(readable, _font(size, bold=True)) > RIGHT - LEFT:
        readable = readable[:-2]
    pen.text((LEFT, 82), readable, INK, _font(size, bold=True))
    clock = f"{at_us / 1e6:.1f} s" + (f" of {until_us / 1e6:.0f} s" if until_us > at_us else "")
    pen.text((RIGHT, 44), f"RabbitMQ {release} · {clock}", FAINT, _font(24), anchor="ra")


def _stage(pen: ImageDraw.ImageDraw, picture: StagePicture) -> None:
    def at(x: float, y: float) -> tuple[int, int]:
        return round(LEFT + x * SCALE), round(TOP + y * SCALE)

    pen.rectangle((at(0, 0), at(WIDTH, RAM)), fill=CARD)
    for tone, top, end in (("ram", RAM, WATER), ("disk", DISK, BOTTOM), ("water", WATER, DISK)):
        pen.rectangle((at(0, top), at(WIDTH, end)), fill=TONES[tone])
    for word, y in (("RAM", 56), ("disk", 96)):
        pen.text(at(4, y), word, FAINT, _font(26), anchor="ls")
    for lane in picture.drawn:
        pen.text(
            at(lane.x, 13), lane.name, INK if lane.messages else FAINT, _font(32, bold=True), anchor="ls"
        )
        if lane.messages:
            pen.text(at(lane.x, 27), f"{lane.messages:,}".replace(",", " "), FAINT, _font(32), anchor="ls")
        for letter, rows in lane.blocks:
            for x, y, blocks in rows:
                for left in range(x, x + blocks * STEP, STEP):
                    pen.rectangle(
                        (at(left, y - BLOCK / 2), at(left + BLOCK, y + BLOCK / 2)), fill=TONES[letter]
                    )
                    if letter == "gamma":
                        pen.line((at(left, y), at(left + BLOCK, y)), fill=TONES["disk"], width=4)


def _foot(pen: ImageDraw.ImageDraw, picture: StagePicture, memory: MemoryLevel) -> None:
    pen.text((LEFT, FOOT - 4), "memory", FAINT, _font(20))
    pen.rounded_rectangle((LEFT + 100, FOOT, LEFT + 500, FOOT + 16), 8, fill=LINE)
    if memory.percent > 3:
        end = LEFT + 100 + 4 * min(100, memory.percent)
        pen.rounded_rectangle((LEFT + 100, FOOT, end, FOOT + 16), 8, fill=TONES[memory.tone])
    pen.text((LEFT + 516, FOOT - 4), f"{memory.percent} % of the watermark", FAINT, _font(20))
    ready = f"{picture.ready:,} ready".replace(",", " ")
    pen.text((RIGHT, FOOT - 4), ready, INK, _font(20, bold=True), anchor="ra")
    x = LEFT
    for letter, meaning in picture.letters:
        pen.rectangle((x, FOOT + 48, x + 18, FOOT + 66), fill=TONES[letter])
        if letter == "gamma":
            pen.line((x, FOOT + 57, x + 18, FOOT + 57), fill=TONES["disk"], width=4)
        said = f"{letter}: {meaning}"
        pen.text((x + 26, FOOT + 46), said, FAINT, _font(18))
        x += 50 + int(pen.textlength(said, _font(18)))
