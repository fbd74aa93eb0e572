"""Files that are small and want much, or that JSON can say and nothing can keep: answered in words, at once."""

from __future__ import annotations

import base64
import json
import time
import tracemalloc
import zlib
from typing import Any

import pytest
from django.test import Client

from playground.models import Session
from playground.sessions.scenario_links import WORDS
from playground.storybook.entry import BadScenario, read
from playground.storybook.story import WorkloadPhase, command_count, expand_phases

SMALL: dict[str, Any] = {"version": 1, "title": "Mine", "profile": "classroom", "until_us": 1_000_000}
STAGES = [f"{rate}:1" for rate in range(1, 21)]
GREEDY = {
    **SMALL,
    "workload": [
        {"name": f"w{number}", "time": 86_400, "producers": 16, "consumers": 16, "variable_rate": STAGES}
        for number in range(20)
    ],
}
TEXT = json.dumps(SMALL)
HALF = TEXT.replace("Mine", "M\\ud800ine")
HALF_NAME = TEXT.replace('"title"', '"x\\udfff": 1, "title"')
HUGE = TEXT.replace("1000000", str(2**70))
HUGE_SEED = TEXT.replace('"title"', f'"seed": {2**80}, "title"')
ENDLESS = TEXT.replace("1000000", "1e999")
ABSURD = [HALF, HALF_NAME, HUGE, HUGE_SEED, ENDLESS, json.dumps(GREEDY)]


def packed(text: str) -> str:
    """Return a text as it stands in the address of a link, whatever is in it."""
    compressor = zlib.compressobj(9, zlib.DEFLATED, -15, 9, zdict=WORDS)
    return "1" + base64.urlsafe_b64encode(
        compressor.compress(text.encode()) + compressor.flush()
    ).decode().rstrip("=")


def test_what_a_workload_becomes_is_counted_before_it_is_made() -> None:
    text = json.dumps(GREEDY)
    assert len(text) < 6000
    tracemalloc.start()
    began_s = time.process_time()
    with pytest.raises(BadScenario) as bad:
        read(text)
    took_s, (_now, most) = time.process_time() - began_s, tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert bad.value.problems[0].path == "workload"
    assert "160960 commands" in bad.value.first
    assert took_s < 1
    assert most < 8_000_000


@pytest.mark.parametrize(
    "phase",
    [
        WorkloadPhase(),
        WorkloadPhase(producers=3, consumers=2),
        WorkloadPhase(time=7, producers=2, variable_rate=["5:2", "0:1"], variable_size=["9:3"]),
        WorkloadPhase(time=0.5, start=3, variable_size=["10:1", "20:1"], consumers=1),
    ],
)
def test_the_count_is_the_number_of_commands(phase: WorkloadPhase) -> None:
    assert command_count([phase, phase]) == len(expand_phases([phase, phase]))


@pytest.mark.parametrize(
    "text", ABSURD, ids=["half", "half a name", "huge", "huge seed", "endless", "greedy"]
)
@pytest.mark.django_db
def test_it_is_reported_in_words_wherever_it_is_given(client: Client, text: str) -> None:
    client.raise_request_exception = False
    answers = [
        client.post("/s/import", {"text": text}),
        client.post("/library/edit/", {"text": text}),
        client.get(f"/x/{packed(text)}/"),
    ]
    assert [each.status_code for each in answers] == [422, 422, 404]
    assert client.post("/library/check/", {"text": text}).status_code == 200
    assert Session.objects.count() == 0
