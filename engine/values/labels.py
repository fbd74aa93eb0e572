"""Names that the page gives besides those of declared queues: a member on another node is `orders@n2`.

The names of a broker's queues are free, so one that reads as such a label is not taken (`is_label`).
"""

from __future__ import annotations

import re
from typing import Final

NODE: Final = re.compile(r"@n[1-9]\Z")


def member(queue: str, node: str) -> str:
    """Return how the member of a queue on a node is named."""
    return f"{queue}@{node}"


def queue_of(label: str) -> str:
    """Return the queue of a member, or a queue's own name."""
    return label[: found.start()] if (found := NODE.search(label)) else label


def is_member(label: str) -> bool:
    """Return whether a name is that of a member on another node."""
    return "@" in label and NODE.search(label) is not None
