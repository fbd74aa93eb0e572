"""What happens where a queue gets files of another version."""

from typing import Final

from engine.version_choice.transitions import conversion

MODULES: Final = (conversion,)
"""Where they are defined, in the order in which documents list them."""
