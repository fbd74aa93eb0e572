"""Random runs whose words are held against their picture: each profile in turn, some of them past the paging line."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import polib
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from engine.broker.cluster import Cluster
from engine.storage.ledger import LedgerStorage
from tests.property.test_node_fold import OVERRIDES, PROGRAMS, scenario_of, submit

PROFILES = ("classroom", "4.0.5-classroom", "real", "4.3.6-classroom", "3.8.9-classroom", "4.3.6", "articles")
OF_VERSION_1 = frozenset(
    {
        "explicit_gc_run_operation_threshold",
        "msg_store_io_batch_size",
        "queue_index_max_journal_entries",
        "write_buffer_bytes",
    }
)
Program = list[tuple[dict[str, Any], int]]

PAGING: Program = [
    (
        {"do": "publish", "count": 40, "size_bytes": 6144, "persistent": False, "routing_key": "orders"},
        900_000,
    ),
    (
        {"do": "publish", "count": 30, "size_bytes": 6144, "persistent": True, "routing_key": "orders"},
        900_000,
    ),
    (
        {
            "do": "set_consumer",
            "name": "a",
            "rate_per_s": 40,
            "prefetch": 3,
            "ack": "each",
            "queue": "orders",
        },
        600_000,
    ),
]
"""A queue that comes past the paging line, and a consumer that takes it back."""
STANDING: Program = [
    *PAGING[:2],
    (
        {"do": "publish", "count": 50, "size_bytes": 6144, "persistent": True, "routing_key": "orders"},
        900_000,
    ),
    ({"do": "set", "name": "vm_memory_high_watermark_paging_ratio", "value": 0.3}, 0),
    ({"do": "set", "name": "target_ram_count", "value": None, "queue": "orders"}, 400_000),
]
"""The same, left without a target while memory stays past the line."""


def catalogs(repo_root: Path) -> list[dict[str, list[str]]]:
    """Return the translations of the page's words: none for English, then both scripts."""
    files = (repo_root / f"locale/{language}/LC_MESSAGES/djangojs.po" for language in ("zh_Hans", "zh_Hant"))
    return [
        {},
        *(
            {
                entry.msgid: [entry.msgstr_plural[0]] if entry.msgstr_plural else [entry.msgstr]
                for entry in polib.pofile(str(file))
                if not entry.obsolete
            }
            for file in files
        ),
    ]


def played(profile: str, overrides: dict[str, Any], program: Program) -> dict[str, Any]:
    """Return the rows of a run, with their times."""
    usable = {
        name: value for name, value in overrides.items() if profile[0] != "4" or name not in OF_VERSION_1
    }
    node = Cluster(scenario_of(profile, usable), LedgerStorage(), keep=1_000_000)
    for command, pause_us in program:
        submit(node, command)
        node.advance(node.now_us + pause_us)
    news = node.log.since(0)
    assert news is not None
    return {"profile": profile, "rows": news.rows, "at_us": news.at_us}


def gathered(count: int) -> list[dict[str, Any]]:
    """Return `count` random runs, each profile in turn."""
    runs: list[dict[str, Any]] = []

    @settings(
        max_examples=count,
        deadline=None,
        derandomize=True,
        phases=[Phase.generate],
        database=None,
        suppress_health_check=[HealthCheck.too_slow],  # a clock's judgement, which a busy machine fails
    )
    @given(OVERRIDES, PROGRAMS, st.sampled_from([[], PAGING, STANDING]))
    def gather(overrides: dict[str, Any], program: Program, before: Program) -> None:
        profile = PROFILES[len(runs) % len(PROFILES)]
        runs.append(played(profile, overrides, [*before, *program]))

    gather()
    return runs
