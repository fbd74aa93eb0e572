"""The few expressions of `rabbitmqctl eval` that runbooks use: the paging ratio, which no other line can change."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final

from engine.ctl.amounts import FRACTION
from engine.ctl.changes import Change
from engine.ctl.errors import NotHere
from engine.ctl.request import Request

RATIO: Final = "vm_memory_high_watermark_paging_ratio"
WATERMARK: Final = "vm_memory_high_watermark"
GET: Final = re.compile(rf"application:get_env\(rabbit,({RATIO}|{WATERMARK})\)\.?")
SET: Final = re.compile(rf"application:set_env\(rabbit,{RATIO},({FRACTION.pattern})\)\.?")
READ_WATERMARK: Final = re.compile(r"vm_memory_monitor:get_vm_memory_high_watermark\(\)\.?")
READ_LIMIT: Final = re.compile(r"vm_memory_monitor:get_memory_limit\(\)\.?")


def evaluated(request: Request, state: Mapping[str, Any]) -> str | Change:
    """Return what an expression evaluates to, or what it changes.

    Raises:
        NotHere: it is none of those that are played.
    """
    text = re.sub(r"\s", "", request.arguments[0])
    settings = state["node"]["settings"]
    if (found := GET.fullmatch(text)) is not None:
        return f"{{ok,{_number(settings[found[1]])}}}\n"
    if (found := SET.fullmatch(text)) is not None:
        return Change({"do": "set", "name": RATIO, "value": float(found[1])}, "", "ok\n")
    if READ_WATERMARK.fullmatch(text):
        return f"{_number(settings[WATERMARK])}\n"
    if READ_LIMIT.fullmatch(text):
        return f"{state['node']['memory']['limit']}\n"
    raise NotHere(
        "of eval only a few expressions are played: get_env and set_env of the paging ratio, get_env of the watermark, "
        "and what vm_memory_monitor says of both"
    )


def _number(value: Any) -> str:
    return f"{{absolute,{value['absolute']}}}" if isinstance(value, Mapping) else str(value)
