"""What only a queue of version 2 and its stores report."""

from typing import Final

from engine.classic_v2.transitions import files, messages, stores

MODULES: Final = (
    files,
    messages,
    stores,
)
"""Where they are defined, in the order in which documents list them."""
