"""A pasted configuration becomes a session's settings, and every key that could not be taken over is named."""

from __future__ import annotations

import json

import pytest
from django.test import Client

from engine.broker.commands.scenario import parse
from playground.inspecting import reading
from playground.inspecting.definitions import ConfigurationReport, read_configuration
from playground.inspecting.uploads import UnreadableInput

CONF = """
# rabbitmq.conf
listeners.tcp.default = 5672
vm_memory_high_watermark.absolute = 2GB
vm_memory_high_watermark_paging_ratio = 0.75
disk_free_limit.relative = 1.5
queue_index_embed_msgs_below = 1kiB
queue_index_embed_msgs_below = 1024
vm_memory_calculation_strategy = rss
"""
ADVANCED = """
%% advanced.config
[{rabbit, [{vm_memory_high_watermark, 0.6}, {credit_flow_default_credit, {100, 50}},
           {tcp_listen_options, [{backlog, 4096}]},
           {disk_free_limit, {mem_relative, 2.0}}, {msg_store_credit_disc_bound, {8000, 1600}}]},
 {rabbitmq_management, [{listener, [{port, 15672}]}]}].
"""
ENVIRONMENT = (
    "Application environment of node rabbit@h ...\n"
    ' [{kernel,[{net_ticktime,60}]},\n  {rabbit,\n      [{vm_memory_high_watermark,{absolute,"512MiB"}},\n'
    "       {disk_free_limit,50000000},{queue_index_max_journal_entries,32768}]}]\n"
)


def keys(found: ConfigurationReport) -> list[str]:
    return [key for key, _why in found.left_out]


def test_rabbitmq_conf() -> None:
    found = read_configuration(CONF)
    assert found.settings == {
        "vm_memory_high_watermark": {"absolute": 2_000_000_000},
        "vm_memory_high_watermark_paging_ratio": 0.75,
        "disk_free_limit": {"mem_relative": 1.5},
        "queue_index_embed_msgs_below": 1024,
        "vm_memory_calculation_strategy": "rss",
    }
    assert dict(found.left_out) == {
        "queue_index_embed_msgs_below": {
            "code": "given_again",
            "values": {"key": "queue_index_embed_msgs_below", "value": "1024"},
        },
        "listeners.tcp.default": {"code": "key_unused", "values": {}},
    }
    assert parse(found.scenario).to_json()["settings"]["vm_memory_high_watermark"] == {
        "absolute": 2_000_000_000
    }


def test_advanced_config() -> None:
    found = read_configuration(ADVANCED)
    assert found.settings == {
        "vm_memory_high_watermark": 0.6,
        "credit_flow_default_credit": [100, 50],
        "disk_free_limit": {"mem_relative": 2.0},
        "msg_store_credit_disc_bound": [8000, 1600],
    }
    assert keys(found) == ["tcp_listen_options", "rabbitmq_management"]


def test_rabbitmqctl_environment() -> None:
    found = read_configuration(ENVIRONMENT)
    assert found.settings == {
        "vm_memory_high_watermark": {"absolute": 512 * 2**20},
        "disk_free_limit": 50_000_000,
        "queue_index_max_journal_entries": 32768,
    }
    assert keys(found) == ["kernel"]


def test_a_value_that_is_none_is_left_out_with_the_reason() -> None:
    found = read_configuration(
        "vm_memory_high_watermark_paging_ratio = 0.5\ndisk_free_limit.absolute = much\nqueue_master_locator = x\n"
    )
    assert found.settings == {"vm_memory_high_watermark_paging_ratio": 0.5}
    assert {key: why["code"] != "unexpected" for key, why in found.left_out} == {
        "disk_free_limit.absolute": True,
        "queue_master_locator": True,
    }


def test_of_a_fraction_and_bytes_the_fraction_counts() -> None:
    """As rabbit.schema of 3.10.8 has it, whichever stands first."""
    lines = ["vm_memory_high_watermark.relative = 0.6", "vm_memory_high_watermark.absolute = 2GB"]
    for text in (lines, lines[::-1]):
        found = read_configuration("\n".join(text))
        assert found.settings == {"vm_memory_high_watermark": 0.6}
        values = {"key": "vm_memory_high_watermark.relative", "value": "0.6"}
        assert found.left_out == [
            ("vm_memory_high_watermark.absolute", {"code": "given_again", "values": values})
        ]


def test_advanced_config_goes_before_rabbitmq_conf() -> None:
    found = read_configuration(
        "memory_monitor_interval = 5000\nqueue_index_embed_msgs_below = 4kb\nqueue_master_locator = random\n"
        "[{rabbit, [{queue_index_embed_msgs_below, 0}]}].\n"
    )
    assert found.settings == {
        "memory_monitor_interval_ms": 5000,
        "queue_index_embed_msgs_below": 0,
        "queue_master_locator": "random",
    }
    [(key, reason)] = found.left_out
    assert (key, reason["code"]) == ("queue_index_embed_msgs_below", "given_again")
    assert read_configuration("queue_index_embed_msgs_below = 4kb\n").settings == {
        "queue_index_embed_msgs_below": 4096
    }


@pytest.mark.parametrize(
    ("line", "code"),
    [
        ("queue_index_max_journal_entries = 1024", "not_in_conf"),
        ("vm_memory_high_watermark = 0.5", "not_in_conf"),
        ("vm_memory_high_watermark_paging_ratio = 1.1", "ratio_in_conf"),
        ("vm_memory_high_watermark_paging_ratio = high", "not_a_number"),
    ],
)
def test_what_a_node_does_not_start_with_is_not_taken(line: str, code: str) -> None:
    found = read_configuration(line)
    assert found.settings == {}
    assert [reason["code"] for _key, reason in found.left_out] == [code]


def test_the_version_of_queues_is_an_argument_of_the_sessions_queue() -> None:
    found = read_configuration("classic_queue.default_version = 2\ndisk_free_limit.absolute = 1GB\n")
    [queue] = found.scenario["topology"]["queues"]
    assert queue["arguments"] == {"x-queue-version": 2}
    assert found.left_out == [
        ("classic_queue.default_version", {"code": "version_of_queue", "values": {"version": 2}})
    ]
    assert read_configuration("[{rabbit, [{classic_queue_default_version, 1}]}].").scenario["topology"] == {
        "queues": [{"name": "orders"}]
    }


def test_the_type_by_default_of_a_node_is_that_of_queues_without_one() -> None:
    found = read_configuration("default_queue_type = quorum\ndisk_free_limit.absolute = 1GB\n")
    reason = {"code": "untyped_queues", "values": {"type": "quorum"}}
    assert found.left_out == [("default_queue_type", reason)]


STARTS = "2026-01-31 12:00:00.1+00:00 [info] <0.9.0>  Starting RabbitMQ 4.1.3 on Erlang 26\n"
NODE = "services:\n  a:\n    x: -rabbit disk_free_limit 1\n    image: "


@pytest.mark.parametrize(
    ("text", "profile"),
    [
        ("disk_free_limit.absolute = 1GB\n", "real"),
        (NODE + "docker.io/library/rabbitmq:4.0.5-management\n", "4.0.5"),
        (NODE + "rabbitmq:4\n", "4.3.6"),
        (NODE + "'rabbitmq:3.8-alpine'\n", "articles"),
        (STARTS + "Disk free limit set to 50MB\n", "4.0.5"),
    ],
)
def test_the_release_that_a_text_names_chooses_the_session(text: str, profile: str) -> None:
    found = read_configuration(text)
    assert found.scenario["profile"] == profile
    assert "disk_free_limit" in found.settings


def test_the_page_takes_a_configuration_where_a_listing_is_pasted() -> None:
    assert reading.listing(CONF)["settings"]["vm_memory_calculation_strategy"] == "rss"


@pytest.mark.django_db
def test_the_settings_open_as_a_session_of_ones_own() -> None:
    answer = Client().post("/s/import", {"text": json.dumps(read_configuration(ADVANCED).scenario)})
    assert answer.status_code == 302
    assert answer["Location"].startswith("/s/")


@pytest.mark.parametrize("text", ["", "hello = world", "[]", "[{rabbit,[]}]", "[" * 1000, "=" * 1000])
def test_what_is_none_is_refused(text: str) -> None:
    with pytest.raises(UnreadableInput, match="figures"):
        read_configuration(text)
