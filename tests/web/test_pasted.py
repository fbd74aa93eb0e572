"""Texts that people paste or upload: a byte order mark, a form's line breaks, a table that no reader can take."""

from __future__ import annotations

import json
from io import BytesIO
from typing import Any

import pytest
from django.test import Client

from playground.exercises import builder, learners
from playground.inspecting import reading
from playground.limits import rate_limits, session_limits
from playground.records import kept_runs
from playground.typed_texts import given_text
from playground.whatif import views
from workloads.errors import WorkloadError
from workloads.imports import READERS, Options

MARK = "\N{ZERO WIDTH NO-BREAK SPACE}"
SCENARIO = json.dumps({**kept_runs.blank_scenario("classroom"), "title": "Mine"})
LOGS = {
    "perf-test": "perf-test --rate 4 --time 2 --size 9\n",
    "csv": "at_s,size_bytes\n0,10\n1,20\n",
    "tracing": json.dumps(
        {
            "timestamp": "2026-01-31 12:00:00:000",
            "type": "published",
            "node": "a",
            "queue": "none",
            "exchange": "",
            "routed_queues": ["q"],
            "routing_keys": ["q"],
            "properties": {},
            "payload": "aGFsbG8=",
        }
    )
    + "\n",
}


def test_a_text_is_as_it_was_before_a_form_sent_it() -> None:
    assert given_text(f"{MARK}a\r\nb\n") == given_text(f"{MARK}a\r\nb\n".encode()) == "a\nb\n"
    with pytest.raises(UnicodeDecodeError):
        given_text(b"\xff")


@pytest.mark.parametrize("kind", LOGS)
def test_a_log_may_begin_with_a_mark(kind: str) -> None:
    plain, marked = (
        READERS[kind](text.splitlines(keepends=True), Options()) for text in (LOGS[kind], MARK + LOGS[kind])
    )
    assert marked == plain


@pytest.mark.django_db
def test_a_scenario_may_begin_with_a_mark_wherever_it_is_pasted_or_uploaded(client: Client) -> None:
    assert client.post("/s/import", {"text": MARK + SCENARIO}).status_code == 302
    assert client.post("/s/import", {"file": BytesIO((MARK + SCENARIO).encode())}).status_code == 302
    assert client.post("/library/edit/", {"text": MARK + SCENARIO}).status_code == 302
    assert "data-line" not in client.post("/library/check/", {"text": MARK + SCENARIO}).content.decode()


@pytest.mark.django_db
def test_work_an_exercise_and_figures_may_begin_with_a_mark() -> None:
    assert (
        learners.read((MARK + '{"format": "waterline-person-1", "exercises": []}').encode()).exercises == []
    )
    content = {"en": {"title": "Mine"}}
    assert builder.of_file(MARK + json.dumps({"format": builder.FORMAT, "exercise": content})) == content
    conf = "vm_memory_high_watermark.relative = 0.6\n"
    assert reading.listing(MARK + conf) == reading.listing(conf)
    topology = json.dumps({"queues": [{"name": "q", "vhost": "/", "durable": True, "arguments": {}}]})
    assert reading.topology((MARK + topology).encode()) == reading.topology(topology.encode())


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("at_s,size_bytes\n0," + "1" * 131_073 + "\n", 2),
        ("at_s,size_bytes," + "x" * 131_073 + "\n", 1),
        ('at_s,size_bytes\n0,10\n1,"20\n' + "2,30\n" * 30_000, None),
        ("at_s,size_bytes\n0,10\r1,20\n", 2),
    ],
)
def test_a_table_that_no_reader_can_take_is_refused_with_its_line(text: str, line: int | None) -> None:
    with pytest.raises(WorkloadError, match=f"line {line or ''}") as refused:
        READERS["csv"](text.splitlines(keepends=True) if line != 2 else text.split("\n"), Options())
    assert refused.value.code == "no_table_line"


@pytest.mark.django_db
def test_a_table_with_a_long_value_is_no_fault_of_the_server(client: Client) -> None:
    """One value of 131,073 characters was a 500."""
    asked = {
        "kind": "csv",
        "text": "at_s,size_bytes\n0," + "1" * 131_073,
        "x": "queue_mode",
        "y": "persistent",
    }
    answer = client.post("/whatif/own/", asked)
    assert answer.status_code == 400
    assert "131072" in answer.content.decode()


@pytest.mark.django_db
def test_forms_for_long_texts_send_them_as_they_are(client: Client) -> None:
    """Encoded as an address is, a trace of 450 kB became longer than what the server takes."""
    for page, action in (
        ("/whatif/own/", "/whatif/own/"),
        ("/library/edit/", "/library/edit/"),
        ("/", "/s/import"),
    ):
        html = client.get(page).content.decode()
        form = next(
            each for each in html.split("<form")[1:] if f'action="{action}"' in each.partition(">")[0]
        )
        assert 'enctype="multipart/form-data"' in form.partition(">")[0], page
        assert rate_limits.body_of(action).most_bytes > session_limits.current().scenario_bytes + 64 * 1024


@pytest.mark.django_db
def test_a_trace_just_below_the_bound_is_read(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        views.runner, "sweep_runner", lambda: type("Kept", (), {"take": staticmethod(lambda *_names: None)})
    )
    trace = LOGS["tracing"]
    lines = (session_limits.current().scenario_bytes - 1000) // len(trace)
    sent: dict[str, Any] = {"kind": "tracing", "text": (trace.strip() + "\r\n") * lines}
    answer = client.post("/whatif/own/", {**sent, "x": "queue_mode", "y": "persistent"})
    assert answer.status_code == 302, answer.content.decode()[:2000]
