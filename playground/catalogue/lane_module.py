"""The page's module of places: where the messages of each kind of queue can lie."""

from __future__ import annotations

import msgspec

from engine.backing_queue.message_places import VARIABLE_QUEUE, MessagePlace
from engine.backing_queue.stores import SYNC_INTERVAL_US
from engine.generations import PLACES
from engine.releases import RELEASES
from playground.catalogue import javascript as js


def lanes_module() -> str:
    """Return the text of static/js/model/catalogue/places.js."""
    return "".join(
        [
            js.head("Where the messages of a queue can lie.", "engine/backing_queue/places"),
            "\n/** The backing queue of a queue whose settings name no other. */\n",
            f"export const USUAL = {js.literal(VARIABLE_QUEUE)};\n",
            "\n/** How long a store waits for more before it syncs (K6). */\n",
            f"export const STORE_SYNC_MS = {SYNC_INTERVAL_US // 1000};\n",
            "\n",
            js.comment(
                "The places of each, from the tail to the head; then those of unacknowledged messages.",
                'import("./types.js").MessagePlace[]',
            ),
            "export const PLACES = {\n",
            *(
                f"  {js.key(name)}: [\n{_rows(places)}  ],\n"
                for name, places in sorted(PLACES.items(), key=_usual_first)
            ),
            "};\n",
            "\n",
            js.comment(
                "What releases have no more, each with the rule that says so, by their series.",
                "Record<string, string>",
            ),
            "export const GONE = {\n",
            *(
                f"  {js.literal(each.series)}: {js.literal(dict(each.gone))},\n"
                for each in RELEASES.values()
                if each.gone
            ),
            "};\n",
        ]
    )


def _usual_first(entry: tuple[str, tuple[MessagePlace, ...]]) -> tuple[bool, str]:
    return entry[0] != VARIABLE_QUEUE, entry[0]


def _rows(places: tuple[MessagePlace, ...]) -> str:
    return "".join(f"    {js.literal(msgspec.structs.asdict(each))},\n" for each in places)
