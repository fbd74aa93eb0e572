"""What people paste that is neither a queue's figures nor settings is called by its name; a report is read for both."""

from __future__ import annotations

import json
from typing import Any

import pytest

from playground.inspecting import reading
from playground.inspecting.uploads import UnreadableInput, profile_of
from tests.ctl.played import recorded
from tools.proofs.differential.installation import LATEST

ANSWERS = {each["line"]: each["text"] for each in reversed(recorded(LATEST, "first"))}
"""To the first time that each line was asked."""
OVERVIEW: dict[str, Any] = {
    "management_version": "3.10.8",
    "rabbitmq_version": "3.10.8",
    "message_stats": {"publish": 10, "publish_details": {"rate": 0.0}},
    "queue_totals": {"messages": 12, "messages_ready": 10, "messages_unacknowledged": 2},
    "object_totals": {"channels": 1, "connections": 1, "consumers": 1, "exchanges": 7, "queues": 1},
    "node": "rabbit@mq1",
}
QUEUES: list[dict[str, Any]] = [{"name": "orders", "vhost": "/", "messages": 3, "consumers": 1}]
ENVIRONMENT = (
    "# /etc/rabbitmq/rabbitmq-env.conf\nNODENAME=bunny@myhost\nexport RABBITMQ_MNESIA_BASE=/data/mq\n"
    'SERVER_ADDITIONAL_ERL_ARGS="-rabbit log_levels info"\n'
)


@pytest.mark.parametrize(
    ("text", "code"),
    [
        (json.dumps(OVERVIEW), "overview"),
        ("\ufeff" + json.dumps(OVERVIEW, indent=2), "overview"),
        (json.dumps(QUEUES), "listing_without_status"),
        (json.dumps({"items": QUEUES}), "listing_without_status"),
        (ANSWERS["list_queues"], "listing_without_status"),
        ("messages\tconsumers\n3\t1\n", "listing_without_status"),
        ("orders\t3\nlazy\t1\n", "listing_without_status"),
        (
            "+--------+----------+\n|  name  | messages |\n+--------+----------+\n| orders | 3        |\n",
            "listing_without_status",
        ),
        (ENVIRONMENT, "environment_file"),
        (ANSWERS["rabbitmq-diagnostics memory_breakdown"], "node_status"),
        (ANSWERS["rabbitmq-diagnostics status --formatter json"], "node_status"),
        ("Status of node rabbit@mq1 ...\nRuntime\n\nOS PID: 12\n", "node_status"),
        (
            "Reporting server status of node rabbit@mq1 ...\n\nStatus of node rabbit@mq1 ...\n",
            "report_without_status",
        ),
        ("my queue is slow", "figures"),
        ("", "figures"),
    ],
)
def test_a_text_is_refused_by_what_it_is(text: str, code: str) -> None:
    with pytest.raises(UnreadableInput) as refused:
        reading.listing(text)
    assert refused.value.code == code


def test_another_listing_is_called_by_its_name() -> None:
    with pytest.raises(UnreadableInput) as refused:
        reading.listing("Listing exchanges for vhost / ...\nname\ttype\namq.topic\ttopic\n")
    assert refused.value.to_json() == {"unreadable": "other_listing", "values": {"name": "exchanges"}}


@pytest.mark.parametrize("line", ["report", "rabbitmqctl environment"])
def test_the_settings_of_a_real_node_are_read_from_what_it_printed(line: str) -> None:
    """A map of Erlang's stands in them, whose lines begin as comments do; a client's version is no queue's."""
    found = reading.listing(ANSWERS[line])
    assert ("figures" in found) == (line == "report"), "a report lists queues, too"
    found = found.get("environment", found)
    assert found["settings"]["vm_memory_high_watermark"] == 0.4
    assert found["settings"]["queue_index_embed_msgs_below"] == 4096
    assert found["settings"]["msg_store_file_size_limit"] == 16_777_216
    codes = {name: why["code"] for name, why in found["left_out"]}
    assert "line_format" not in codes
    assert codes["kernel"] == "key_unused"
    if line == "report":
        assert codes["Listing queues for vhost / ..."] == "part_of_report"
        assert codes["Listing connections ..."] == "part_of_report"


@pytest.mark.parametrize("release", ["3.8.9", "4.0.5", "4.3.6"])
def test_a_report_of_each_release_has_its_queue_and_a_session_of_that_release(release: str) -> None:
    [text, *_] = [each["text"] for each in recorded(release, "first") if each["line"] == "report"]
    found = reading.listing(text)
    assert [(each["name"], each["values"]["messages"]) for each in found["figures"]] == [("orders", "3")]
    assert found["environment"]["scenario"]["profile"] == profile_of(release)
    assert "vm_memory_high_watermark" in found["environment"]["settings"]
