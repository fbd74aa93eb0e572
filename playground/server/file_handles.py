"""How many files and connections this process may have open: as many as the system lets it."""

from __future__ import annotations

import contextlib
import logging
import resource
from typing import Final

logger = logging.getLogger(__name__)

WANTED: Final = 65_536
"""Where the system sets no bound of its own, or says that there is none and means another one."""
FEW: Final = 4_096
"""With fewer, one address can take a good part of them."""


def raise_to_most() -> int:
    """Raise the soft limit of open handles to the hard one; return how many there are now."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    for most in (hard, WANTED, 10_240):
        if most == resource.RLIM_INFINITY:
            continue
        if soft != resource.RLIM_INFINITY and soft < most:
            with contextlib.suppress(ValueError, OSError):  # macOS takes less than it names as its hard limit
                resource.setrlimit(resource.RLIMIT_NOFILE, (most, hard))
                soft = most
                break
    count = WANTED if soft == resource.RLIM_INFINITY else soft
    if count < FEW:
        logger.warning(
            "this server may have %s files and connections open; let it have %s (ulimit -n)", count, FEW
        )
    return count
