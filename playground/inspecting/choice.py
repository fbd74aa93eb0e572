"""What a reader wants to know of a directory, besides what is in it."""

from __future__ import annotations

from typing import Any, Final

import msgspec

from engine.releases import PROFILES
from playground.inspecting.unreadable import UnreadableInput

MOST_BYTES: Final = 1_000


class ReleaseChoice(msgspec.Struct, frozen=True):
    """What is looked into, and which start is played.

    Args:
        vhost: the directory of the virtual host that is meant; of several the answer is their list otherwise.
        target: name of the upgrade whose start is played (`rehearsal.TARGETS`); empty for the release that wrote them.
        stopped: whether an orderly stop comes before that start; without a target it is all that is played.
        profile: of the session that wrote the files; empty where a broker did, and its files say the release.
        entries: of a segment in that session's settings; None where the files say it.
    """

    vhost: str = ""
    target: str = ""
    stopped: bool = False
    profile: str = ""
    entries: int | None = None

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
        if not known or not (choice.entries is None or 1 <= choice.entries <= 1 << 14):
            raise ValueError
    except ValueError:
        raise UnreadableInput("choice") from None
    return choice
