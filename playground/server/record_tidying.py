"""What nobody opens any more is deleted while the server runs, some times a day."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable
from typing import Final

from django.core.management import call_command
from django.db import close_old_connections

logger = logging.getLogger(__name__)

FIRST_S: Final = 300.0
AGAIN_S: Final = 6 * 3600.0
CHORES: Final = ("clean_sessions", "purge_classes", "lti_scores")
"""Commands of manage.py, which say what they deleted."""


def tidy() -> None:
    """Do every chore; one that fails keeps none of the others from being done."""
    for chore in CHORES:
        try:
            call_command(chore)
        except Exception:
            logger.exception("%s failed", chore)
        finally:
            close_old_connections()


def begin(sleep: Callable[[float], None] = time.sleep) -> threading.Thread:
    """Tidy in a thread of its own for as long as this process lives."""

    def work() -> None:
        sleep(FIRST_S)
        while True:
            tidy()
            sleep(AGAIN_S)

    thread = threading.Thread(target=work, name="tidying", daemon=True)
    thread.start()
    return thread
