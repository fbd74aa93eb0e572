"""A pasted configuration becomes a session's settings, and every key that could not be taken over is named."""

from __future__ import annotations

import json

import pytest
from django.test import Client

from engine.broker.commands.scenario import parse
from playground.inspecting import reading
from playground.inspecting.configuration import Configuration, read
from playground.inspecting.unreadable import Unreadable

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


def keys(found: Configuration) -> list[str]:
    return [key for key, _why in found.left_out]


def test_rabbitmq_conf() -> None:
    found = read(CONF)
    assert found.settings == {
        "vm_memory_high_watermark": {"absolute": 2_000_000_000},
        "vm_memory_high_watermark_paging_ratio": 0.75,
        "disk_free_limit": {"mem_relative": 1.5},
        "queue_index_embed_msgs_below": 1024,
        "vm_memory_calculation_strategy": "rss",
    }
    assert keys(found) == ["listeners.tcp.default"]
    assert parse(found.scenario).to_json()["settings"]["vm_memory_high_watermark"] == {
        "absolute": 2_000_000_000
    }


def test_advanced_config() -> None:
    found = read(ADVANCED)
    assert found.settings == {
        "vm_memory_high_watermark": 0.6,
        "credit_flow_default_credit": [100, 50],
        "disk_free_limit": {"mem_relative": 2.0},
        "msg_store_credit_disc_bound": [8000, 1600],
    }
    assert keys(found) == ["tcp_listen_options", "rabbitmq_management"]


def test_rabbitmqctl_environment() -> None:
    found = read(ENVIRONMENT)
    assert found.settings == {
        "vm_memory_high_watermark": {"absolute": 512 * 2**20},
        "disk_free_limit": 50_000_000,
        "queue_index_max_journal_entries": 32768,
    }
    assert keys(found) == ["kernel"]


def test_a_value_that_is_none_is_left_out_with_the_reason() -> None:
    found = read(
        "vm_memory_high_watermark_paging_ratio = 0.5\ndisk_free_limit.absolute = much\nqueue_master_locator = x\n"
    )
    assert found.settings == {"vm_memory_high_watermark_paging_ratio": 0.5}
    assert {key: why["code"] != "unexpected" for key, why in found.left_out} == {
        "disk_free_limit": True,
        "queue_master_locator": True,
    }


def test_the_page_takes_a_configuration_where_a_listing_is_pasted() -> None:
    assert reading.listing(CONF)["settings"]["vm_memory_calculation_strategy"] == "rss"


@pytest.mark.django_db
def test_the_settings_open_as_a_session_of_ones_own() -> None:
    answer = Client().post("/s/import", {"text": json.dumps(read(ADVANCED).scenario)})
    assert answer.status_code == 302
    assert answer["Location"].startswith("/s/")


@pytest.mark.parametrize("text", ["", "hello = world", "[]", "[{rabbit,[]}]", "[" * 1000, "=" * 1000])
def test_what_is_none_is_refused(text: str) -> None:
    with pytest.raises(Unreadable, match="figures"):
        read(text)
