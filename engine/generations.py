"""The only list of the generations of storage, and of what each adds to common code. Most of it is registered
when a generation's modules are imported: places, tables of the fold, metrics, costs. So code that reads such
a registry imports this module. `engine.releases` says which release of the broker has which generation.
"""

from __future__ import annotations

from typing import Final

from engine import priority_queue as _priorities  # noqa: F401 - registers that it has no places
from engine.backing_queue.message_places import PLACES
from engine.backing_queue.status import StatusReader
from engine.classic_v1 import costs as _costs  # noqa: F401 - registers
from engine.classic_v1 import fold as _fold_1  # noqa: F401 - registers, with its places
from engine.classic_v1 import transitions as _version_1
from engine.classic_v1.inspect import V1FileReader, V1HostReader
from engine.classic_v1.metrics import backlog as _backlog_1  # noqa: F401 - registers
from engine.classic_v1.metrics import disk as _disk_1  # noqa: F401 - registers
from engine.classic_v1.status import STATUS as _STATUS_1
from engine.classic_v2 import fold as _fold_2  # noqa: F401 - registers
from engine.classic_v2 import transitions as _version_2
from engine.classic_v2.inspect import V2FileReader, V2HostReader
from engine.classic_v2.metrics import disk as _disk_2  # noqa: F401 - registers
from engine.classic_v2.status import STATUS as _STATUS_2
from engine.damage import HostReader
from engine.formats.layout import FileReader, NoRecord
from engine.version_choice import generation as _fold_both  # noqa: F401 - registers
from engine.version_choice import transitions as _either_version

__all__ = ["FILE_READERS", "HOST_READERS", "KINDS", "PLACES", "STATUSES", "file_reader"]

KINDS: Final = (_version_1, _version_2, _either_version)
"""The modules with the kinds of transitions that only some generation has."""

HOST_READERS: Final[tuple[type[HostReader], ...]] = (V2HostReader, V1HostReader)
"""Readers of data directories, in the order in which they are tried."""

FILE_READERS: Final[tuple[FileReader, ...]] = (V2FileReader(), V1FileReader())
"""Readers of a file's records, in the order in which they are tried."""

STATUSES: Final[tuple[StatusReader, ...]] = (_STATUS_2, _STATUS_1)
"""Readers of a queue's status, in the order in which they are tried."""


def file_reader(name: str) -> FileReader:
    """Return the reader of a file's records; raise NoRecord if there is none."""
    found = next((each for each in FILE_READERS if each.reads(name)), None)
    if found is None:
        raise NoRecord(f"{name} has no records that are known")
    return found
