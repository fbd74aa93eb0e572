"""What a reader wants to know of a directory, and which session plays a text of another release."""

from __future__ import annotations

import re
import time
from typing import Any, Final

import msgspec

from engine.releases import PROFILES, REFERENCE, RELEASES
from playground.inspecting.unreadable import UnreadableInput

MOST_BYTES: Final = 1_000
LAST_DAY: Final = 1 << 34
"""Seconds since 1970: the year 2514."""


class ReleaseChoice(msgspec.Struct, frozen=True):
    """What is looked into, and which start is played.

    Args:
        vhost: the directory of the virtual host that is meant; of several the answer is their list otherwise.
        target: name of the upgrade whose start is played (`rehearsal.TARGETS`); empty for the release that wrote them.
        stopped: whether an orderly stop comes before that start; without a target it is all that is played.
        profile: of the session that wrote the files; empty where a broker did, and its files say the release.
        entries: of a segment in that session's settings; None where the files say it.
        day: of the start in seconds since 1970, by which messages expire; 0 for now.
    """

    vhost: str = ""
    target: str = ""
    stopped: bool = False
    profile: str = ""
    entries: int | None = None
    day: float = 0.0

    @property
    def now_us(self) -> int:
        """Microseconds since 1970 at the start."""
        return int((self.day or time.time()) * 1e6)

    @property
    def scale(self) -> Any:
        """Scale of the constants: that of the session, else the real ones."""
        return PROFILES[self.profile].scale if self.profile else "real"

    @property
    def series(self) -> str | None:
        """Release of the session, None where the files say it."""
        return PROFILES[self.profile].release.series if self.profile else None


USUAL: Final = ReleaseChoice()
"""Files of a broker, of one virtual host, and the release that wrote them."""


def read_choice(text: str) -> ReleaseChoice:
    """Return a choice that a page sends as JSON, the usual one for no text; raise Unreadable where it is none."""
    try:
        if len(text) > MOST_BYTES:
            raise ValueError
        choice = msgspec.json.decode(text, type=ReleaseChoice) if text else USUAL
        known = choice.profile in PROFILES or not choice.profile
        if not 0 <= choice.day <= LAST_DAY:
            raise ValueError
        if not known or not (choice.entries is None or 1 <= choice.entries <= 1 << 14):
            raise ValueError
    except ValueError:
        raise UnreadableInput("choice") from None
    return choice


VERSION: Final = re.compile(r"(\d{1,3})\.(\d{1,3})")


def profile_of(version: object) -> str:
    """Return the profile that plays a release, the reference's where no version is written.

    Args:
        version: as a text writes it, such as 3.13.7; anything else counts as none.
    """
    found = VERSION.match(version) if isinstance(version, str) else None
    if found is None:
        return str(REFERENCE.profiles["real"])
    release = (int(found[1]), int(found[2]))
    series = (
        "3.8" if release < (3, 9) else "3.10" if release < (4, 0) else "4.0" if release < (4, 3) else "4.3"
    )
    return str(RELEASES[series].profiles["real"])
