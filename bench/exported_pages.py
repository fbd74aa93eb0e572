"""How large the pages are that show a run without a server, and how large they may be."""

from __future__ import annotations

from typing import Any, Final

COUNT, TINY_COUNT = 1_000_000, 2_000
MOST_STORY_BYTES: Final = 1_000_000
MOST_LONG_BYTES: Final = 2_000_000
"""Bounds for the page of a story, and for that of a run of a million messages."""


def long_run(count: int) -> dict[str, Any]:
    """Return a run in which so many messages come at once, and go."""
    consumer = {"name": "c1", "rate_per_s": 50_000, "prefetch": 500, "ack": "each", "running": True}
    commands = [
        {"at_us": 1_000_000, "do": "publish", "count": count, "size_bytes": 100},
        {"at_us": 2_000_000, "do": "set_consumer", **consumer},
    ]
    until_us = 4_000_000 + count * 20
    return {
        "version": 1,
        "title": f"{count} messages",
        "profile": "real",
        "seed": 1,
        "commands": commands,
        "until_us": until_us,
    }


def exported(tiny: bool) -> dict[str, int]:
    """Return the bytes of pages that work offline: the largest of the stories, and one of a million messages."""
    from playground.hosting.real_engine import door  # noqa: PLC0415
    from playground.offline.page import PageSource, write  # noqa: PLC0415
    from playground.storybook import ready_scenarios  # noqa: PLC0415 - Django is set up by now

    entries = [each for each in ready_scenarios.entries() if each.slug == "first-burst" or not tiny]
    stories = [len(write(PageSource(each.run, each.story, each.story_json())).encode()) for each in entries]
    long = write(PageSource(door().check(long_run(TINY_COUNT if tiny else COUNT))))
    return {"largest_story_page_bytes": max(stories), "long_run_page_bytes": len(long.encode())}
