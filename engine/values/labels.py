"""Names that a node needs besides those that are declared: of members on other nodes, and in other virtual hosts.

A member on another node is `orders@n2`. The names of a broker's queues are free, so one that reads as such a label is
not taken (`is_member`). What is in another virtual host than the first one has that host's name and a line break before
its own: no broker's name contains a line break.
"""

from __future__ import annotations

import re
from typing import Final

NODE: Final = re.compile(r"@n[1-9]\Z")
FIRST_HOST: Final = "/"
"""The virtual host that every node has; names in it stand alone."""
BREAK: Final = "\n"
"""What parts a virtual host from a name in it."""


def in_host(vhost: str, name: str) -> str:
    """Return how a node calls what is declared by `name` in a virtual host."""
    return name if vhost == FIRST_HOST else f"{vhost}{BREAK}{name}"


def host_of(label: str) -> str:
    """Return the virtual host in which something is."""
    return label.partition(BREAK)[0] if BREAK in label else FIRST_HOST


def bare(label: str) -> str:
    """Return the name that something has in its virtual host."""
    return label.rpartition(BREAK)[2]


def beside(label: str, name: str) -> str:
    """Return how a node calls what has a name in the virtual host in which something is."""
    return in_host(host_of(label), name) if BREAK in label else name


def member(queue: str, node: str) -> str:
    """Return how the member of a queue on a node is named."""
    return f"{queue}@{node}"


def queue_of(label: str) -> str:
    """Return the queue of a member, or a queue's own name."""
    return label[: found.start()] if (found := NODE.search(label)) else label


def is_member(label: str) -> bool:
    """Return whether a name is that of a member on another node."""
    return "@" in label and NODE.search(label) is not None
