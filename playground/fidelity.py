"""What was measured of the engine's fidelity: `make fidelity` writes it, the page shows it, nobody types it in."""

from __future__ import annotations

import functools
import json
from pathlib import Path
from typing import Any

from django.conf import settings

RESULTS = Path(settings.BASE_DIR) / "fidelity" / "results.json"


@functools.lru_cache(maxsize=1)
def _read(path: Path, changed_ns: int) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return found


def results() -> dict[str, Any] | None:
    """Return the latest measured results, None where none were made."""
    try:
        return _read(RESULTS, RESULTS.stat().st_mtime_ns)
    except FileNotFoundError:
        return None
