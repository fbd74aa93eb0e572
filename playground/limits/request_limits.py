"""Bounds of requests before anything reads them: bytes, connections and time. Server and proxy have the same
bounds: `tools/cluster/proxy.py` writes the proxy's from these.
"""

from __future__ import annotations

from typing import Final

import msgspec

from playground import environment

SCENARIO_BYTES: Final = environment.integer("WATERLINE_SCENARIO_BYTES", 512 * 1024)
FORM_BYTES: Final = SCENARIO_BYTES + 64 * 1024
"""Of a form with a scenario in it."""
MEBI: Final = 1024 * 1024


class BodyBound(msgspec.Struct, frozen=True):
    """The bound of bodies for some paths.

    Args:
        most_bytes: of the whole body.
        within_s: seconds within which it must arrive.
    """

    most_bytes: int
    within_s: float


FILES: Final = BodyBound(40 * MEBI, 300)
"""Where a broker's files are given."""
TEXTS: Final = BodyBound(max(MEBI, FORM_BYTES), 60)
"""Where a scenario, an exercise or a person's work is given."""
FORMS: Final = BodyBound(128 * 1024, 30)
"""Everywhere else."""
BODIES: Final = {
    "/inspect/": FILES,
    "/s/import": TEXTS,
    "/library/": TEXTS,
    "/learn/bring": TEXTS,
    "/learn/made/": TEXTS,
    "/whatif/own/": TEXTS,
}
"""By what the path begins with."""
BODIES_BYTES: Final = 160 * MEBI
"""Most bytes of all bodies that one process receives or has not answered yet."""
BODIES_BYTES_EACH: Final = 2 * FILES.most_bytes
"""The same for one address."""
SENDERS_EACH: Final = 4
"""Requests with files that one address may send at the same time, as the proxy counts."""

HEAD_S: Final = 20
"""Seconds within which a request's head must arrive; a silent connection is closed then."""
CONNECTIONS_EACH: Final = environment.integer(
    "WATERLINE_CONNECTIONS_PER_ADDRESS",
    max(1024, 2 * environment.integer("WATERLINE_SOCKETS_PER_ADDRESS", 512)),
)
"""Of one address, sockets among them."""
KEPT_FREE: Final = 256
"""Handles that are not for connections: files, workers, the database."""


def body_of(path: str) -> BodyBound:
    """Return the bound of bodies for a path."""
    return next((body for prefix, body in BODIES.items() if path.startswith(prefix)), FORMS)


class RequestBudget:
    """Counts the bytes of bodies in memory, in total and for each address.

    Args:
        most: of all together.
        most_each: of one address.
    """

    def __init__(self, most: int = BODIES_BYTES, most_each: int = BODIES_BYTES_EACH) -> None:
        self._most = most
        self._most_each = most_each
        self._used: dict[str, int] = {}
        self.in_all = 0

    def take(self, address: str, count: int) -> bool:
        """Take bytes if there are so many left."""
        used = self._used.get(address, 0)
        if self.in_all + count > self._most or used + count > self._most_each:
            return False
        self.in_all += count
        self._used[address] = used + count
        return True

    def give_back(self, address: str, count: int) -> None:
        """Give back what was taken."""
        self.in_all -= count
        left = self._used.pop(address, 0) - count
        if left > 0:
            self._used[address] = left
