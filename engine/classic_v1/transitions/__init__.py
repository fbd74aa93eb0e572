"""The kinds of transitions that classic queues of version 1 report: messages, queue record, index and stores."""

from typing import Final

from engine.classic_v1.transitions import index, messages, queue, stops, stores

MODULES: Final = (
    index,
    messages,
    queue,
    stops,
    stores,
)
"""Where they are defined, in the order in which documents list them."""
