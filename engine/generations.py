"""The generations of storage that there are, for what common code asks of each: the only list of them.

`engine.releases` says which release of the broker has which.
"""

from __future__ import annotations

from typing import Final

from engine.classic_v1.inspect.host import V1HostReader
from engine.classic_v2.inspect.host import V2HostReader
from engine.damage.readers import HostReader

HOST_READERS: Final[tuple[type[HostReader], ...]] = (V2HostReader, V1HostReader)
"""Who reads a data directory, in the order in which they are asked whether it is theirs."""
