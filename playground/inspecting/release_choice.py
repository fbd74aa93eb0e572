"""Which session plays a text of another release: the release that it names, or the one played that is next to it."""

from __future__ import annotations

import re
from typing import Final

from engine.releases import REFERENCE, RELEASES

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
