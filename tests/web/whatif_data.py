"""Made-up heatmaps in the published form, for tests of the page."""

import json
from pathlib import Path
from typing import Any

METRICS = ["blocked_s", "peak_ram_bytes", "paged_out", "disk_writes"]
RATIOS = [0.1, 0.2, 0.3, 0.35, 0.4, 0.45, 0.5, 0.55, 0.6, 0.65, 0.7, 0.8, 0.9, 1.0]
WATERMARKS = [0.2, 0.25, 0.3, 0.35, 0.4, 0.45, 0.5, 0.55, 0.6, 0.65, 0.7]
RATIO, WATERMARK = "vm_memory_high_watermark_paging_ratio", "vm_memory_high_watermark"


def metrics(ratio: float, watermark: float, factor: float) -> list[float]:
    """A smooth surface with a plateau at zero."""
    blocked_s = max(0.0, round(factor * (34 * (1 - watermark) ** 1.3 * ratio**0.7 - 9), 2))
    paged_out = max(0, round(30_000 * (1.1 - ratio * watermark * 3)))
    return [blocked_s, int(2e8 + 4e8 * watermark * ratio), paged_out, paged_out // 40 + 3]


def scenario(workload: str) -> dict[str, Any]:
    """Return what the cells of a workload vary."""
    return {
        "version": 1,
        "profile": "real",
        "title": workload,
        "settings": {"ram_bytes": 268_435_456},
        "seed": 1,
        "commands": [{"at_us": 0, "do": "set", "name": "queue_mode", "value": "default"}],
        "until_us": 48_000_000,
        "digest": None,
    }


def heatmap(name: str = "paging-watermark", *, third_axis: bool = False, fail: int = -1) -> dict[str, Any]:
    """Return a published heatmap; cell number `fail` has failed."""
    modes: list[Any] = ["default", "lazy"] if third_axis else [None]
    cells: list[Any] = []
    for factor, workload in ((1.0, "backlog-drain"), (0.4, "steady"), (1.7, "burst")):
        for ratio in RATIOS:
            for watermark in WATERMARKS:
                for mode in modes:
                    number = len(cells)
                    failed = number == fail
                    cells.append(
                        [
                            f"{number:016x}",
                            workload,
                            1,
                            [ratio, watermark, *([mode] if mode else [])],
                            None if failed else f"{number:032x}",
                            "EngineError: out of paper" if failed else None,
                            None if failed else metrics(ratio, watermark, factor),
                            [
                                [["settings", WATERMARK], watermark],
                                [["settings", RATIO], ratio],
                                *([[["commands", 0, "value"], mode]] if mode else []),
                            ],
                            [] if failed else [number % 50 + n * 90 for n in range(24)],
                            [] if failed else [list(range(state, state + 24)) for state in range(5)],
                        ]
                    )
    return {
        "version": 2,
        "name": name,
        "title": "A made-up heatmap",
        "engine_version": "0.1.0",
        "workloads": [
            {"name": each, "title": each, "scenario": scenario(each)}
            for each in ("backlog-drain", "steady", "burst")
        ],
        "axes": [
            {"parameter": RATIO, "values": RATIOS},
            {"parameter": WATERMARK, "values": WATERMARKS},
            *([{"parameter": "queue_mode", "values": modes}] if third_axis else []),
        ],
        "seeds": [1],
        "home": {RATIO: 0.5, WATERMARK: 0.4},
        "offered": METRICS,
        "metrics": METRICS,
        "cells": cells,
    }


def write(directory: Path, *heatmaps: dict[str, Any]) -> None:
    """Write heatmaps as published files."""
    for each in heatmaps:
        (directory / f"{each['name']}.json").write_text(json.dumps(each))
