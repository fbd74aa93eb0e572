"""`python -m tools.story_digests [--only NAME]`: write into each ready scenario the digest that this engine reaches.

For after a change of the engine that was meant to change runs. Each scenario is drawn again, too. Claims are checked,
never rewritten: it fails where one does not hold.
"""

from __future__ import annotations

import argparse
import os
from collections import deque
from collections.abc import Mapping, Sequence
from typing import Final

import django

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "playground.settings")
django.setup()

import msgspec  # noqa: E402 - the settings come first

from engine.replay import RunPlayer  # noqa: E402
from engine.replay.player import KEEP_EVENTS  # noqa: E402
from playground.hosting.real_engine import door  # noqa: E402
from playground.storybook import ready_scenarios  # noqa: E402
from playground.storybook.cards import KEPT, RunThumbnail, StagePicture, kept, picture_of  # noqa: E402
from playground.storybook.entry import LibraryEntry, read  # noqa: E402
from playground.storybook.rehearsal import rehearse  # noqa: E402

SAMPLES: Final = 48
"""Even times at which a run is looked at."""


def draw(entry: LibraryEntry) -> RunThumbnail:
    """Play a ready scenario to its end, and draw it where it asks for a prediction, before the answer. A run that
    asks before anything waits is drawn where most waits.
    """
    node = door().rehearse(entry.run, KEEP_EVENTS)
    player = RunPlayer(node, lenient=True)
    asked_us = entry.story.prediction.ask_at_us if entry.story.prediction else 0
    pictures: dict[int, StagePicture] = {}
    for at_us in sorted({asked_us, *(entry.run["until_us"] * at // SAMPLES for at in range(SAMPLES + 1))}):
        deque(player.play(at_us), maxlen=0)
        pictures[at_us] = picture_of(node.snapshot()) or StagePicture([])
    fullest = max(pictures.values(), key=lambda each: sum(count for _lane, count in each.held))
    asked = pictures[asked_us]
    return RunThumbnail(node.log.digest, asked if asked.held else fullest)


def keep(changed: Mapping[str, RunThumbnail], names: set[str]) -> None:
    """Write thumbnails down beside those that stay; those of other names go."""
    before = kept() if KEPT.exists() else {}
    every = {name: each for name, each in sorted({**before, **changed}.items()) if name in names}
    lines = [f'"{name}": {msgspec.json.encode(each).decode()}' for name, each in every.items()]
    KEPT.write_text("{\n" + ",\n".join(lines) + "\n}\n", "utf-8")
    kept.cache_clear()


def record(only: str | None = None) -> None:
    """Rewrite the files whose digest or form differs. `only`: the name of one; None for all."""
    broken, drawn = 0, {}
    files = [path for path in ready_scenarios.files() if only in (None, path.stem)]
    if not files:
        raise SystemExit(f"there is no ready scenario {only}")
    for path in files:
        text = path.read_text("utf-8")
        entry = read(text)
        result = rehearse(entry)
        entry.written["digest"] = result.digest
        drawn[path.stem] = draw(entry)
        same = entry.encode() == text
        if not same:
            path.write_text(entry.encode(), "utf-8")
        print(f"{path.stem}: {result.digest[:12]} {'unchanged' if same else 'written'}")
        for sentence in (*result.broken, *result.refused):
            broken += 1
            print(f"  {sentence}")
    keep(drawn, {path.stem for path in ready_scenarios.files()})
    if broken:
        raise SystemExit(f"{broken} claims do not hold, or commands were refused")


def main(argv: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="python -m tools.story_digests", description=__doc__)
    parser.add_argument("--only", metavar="NAME", help="this scenario instead of all")
    record(parser.parse_args(argv).only)


if __name__ == "__main__":
    main()
