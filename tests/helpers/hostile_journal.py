"""A queue whose journal holds nothing but acknowledgements, in an order that cannot be kept as few runs."""

from __future__ import annotations

import numpy as np

from engine.formats.names import queue_directory

ACK = 3 << 62
QUEUE = "hostile"


def scattered_acks(count: int, shuffled: bool = True) -> dict[str, bytes]:
    """Return the files of a queue.

    Args:
        count: acknowledgements; the messages are every second one.
        shuffled: in an order without any pattern; else ascending.
    """
    seqs = 2 * np.arange(count, dtype=np.uint64)
    if shuffled:
        seqs = np.random.default_rng(1).permutation(seqs)
    place = f"queues/{queue_directory('/', QUEUE)}"
    return {
        f"{place}/.queue_name": f"VHOST: /\nQUEUE: {QUEUE}\n".encode(),
        f"{place}/journal.jif": (seqs | np.uint64(ACK)).astype(">u8").tobytes(),
    }
