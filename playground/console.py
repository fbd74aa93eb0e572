"""What the page's console and its "stands for" lines need before anything is asked."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import msgspec

from engine.ctl.stands_for import STANDS_FOR
from engine.ctl.usage import USAGES


@lru_cache(maxsize=1)
def page_data() -> dict[str, Any]:
    """Return the commands with what completes their arguments, and the lines behind the controls."""
    flags = {name: [f"--{each}" for each in (*usage.options, *usage.flags)] for name, usage in USAGES.items()}
    return {
        "commands": {name: [*usage.columns, *flags[name]] for name, usage in USAGES.items()},
        "stands_for": {name: msgspec.structs.asdict(each) for name, each in STANDS_FOR.items()},
    }
