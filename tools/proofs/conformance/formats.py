"""The formats of recordings, and how one of each is replayed."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from engine.storage.port import Storage
from tools.proofs.conformance.replay import Outcome, replay, replay_v2
from tools.proofs.conformance.stories import replay_story

TRACE_FORMAT = "cq-trace/1"
TRACE_FORMAT_V2 = "cq-trace/2"
STORY_FORMAT = "mirror-trace/1"
Replay = Callable[[dict[str, Any], Storage], Outcome]
FORMATS: dict[str, tuple[str, str, Replay]] = {
    TRACE_FORMAT: ("conformance", "traces", replay),
    TRACE_FORMAT_V2: ("conformance-v2", "traces", replay_v2),
    STORY_FORMAT: ("conformance-mirrors", "stories", replay_story),
}
"""For each format what its sum is called, what its files are, and how one is replayed."""
