"""How long a test waits for what comes: time that a slow machine takes must say nothing about what is tested."""

from typing import Final

PATIENCE_S: Final = 60.0
"""What comes at all comes in this time, on a slow machine with other work too; what is there at once costs nothing."""
