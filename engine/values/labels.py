"""Labels that a node uses in addition to declared names, for members on other nodes and for other virtual
hosts.

A member on another node is `orders@n2`. A broker's queue may have any name, so a name that looks like such a
label is refused (`is_member`). Outside the first virtual host, a label is the host's name, a line break and
the own name: no broker's name contains a line break.
"""

from __future__ import annotations

import re
from typing import Final

NODE: Final = re.compile(r"@n[1-9]\Z")
FIRST_HOST: Final = "/"
"""The virtual host that every node has; names in it stand alone."""
BREAK: Final = "\n"
"""Separates a virtual host from a name in it."""


def in_host(vhost: str, name: str) -> str:
    return name if vhost == FIRST_HOST else f"{vhost}{BREAK}{name}"


def host_of(label: str) -> str:
    return label.partition(BREAK)[0] if BREAK in label else FIRST_HOST


def bare(label: str) -> str:
    """Return a label's name within its virtual host."""
    return label.rpartition(BREAK)[2]


def beside(label: str, name: str) -> str:
    """Return a node's label for a name in the virtual host of another label."""
    return in_host(host_of(label), name) if BREAK in label else name


def member(queue: str, node: str) -> str:
    return f"{queue}@{node}"


def queue_of(label: str) -> str:
    return label[: found.start()] if (found := NODE.search(label)) else label


def is_member(label: str) -> bool:
    """Return whether a name is the label of a member on another node."""
    return "@" in label and NODE.search(label) is not None
