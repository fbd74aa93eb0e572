"""The recorded lines that the console answers otherwise than the broker, each with the reason."""

from __future__ import annotations

import re
from typing import Final, NamedTuple

TODAYS: Final = ("4.0.5", "4.3.6")
EVERY: Final = ("3.8.9", "3.10.8", *TODAYS)


class Otherwise(NamedTuple):
    """Some lines, by a pattern; where they differ; and why."""

    lines: str
    releases: tuple[str, ...]
    reason: str


NOT_PLAYED: Final = (
    Otherwise(
        r"eval '(rabbit_amqqueue:list|1 \+|foo|application:get_env.rabbit, (nonsense|disk))",
        EVERY,
        "of eval a few",
    ),
    Otherwise(
        r"eval 'application:set_env.rabbit, vm_memory_high_watermark_paging", TODAYS, "nothing reads it there"
    ),
    Otherwise(r"eval 'rabbit_mnesia:", ("4.3.6",), "a node without Mnesia fails at it"),
    Otherwise(r"alarms --formatter", EVERY, "as text only"),
    Otherwise(r"list_deprecated_features --used", TODAYS, "what is in use is not known"),
    Otherwise(r"metadata_store_status", TODAYS, "a part that Waterline has not"),
    Otherwise(r"formatter (xml|nonsense)$|absolute -5$|set_policy w10 ", EVERY, "a stack trace there"),
    Otherwise(r"nope@nowhere", EVERY, "a page of advice there"),
)
"""Lines that get Waterline's remark in place of an answer."""

OTHERWISE: Final = (
    *NOT_PLAYED,
    Otherwise(r"consumer_utilisation|recv_cnt", EVERY, "numbers of a real connection"),
    Otherwise(
        r"[ :]memory|memory_limit", EVERY, "another machine, whose allocators' figure the model has not"
    ),
    Otherwise(
        r"environment$|report$|status( --unit mb| --formatter json)?$", EVERY, "a part; see test_reports"
    ),
    Otherwise(r"backing_queue_status$", EVERY, "shown here, with a remark that no broker's listing has it"),
    Otherwise(r"info_all.*backing_queue_status", ("4.3.6",), "`delivery_count` is in no snapshot"),
    Otherwise(r"list_feature_flags name desc", EVERY, "the broker's descriptions are not kept"),
    Otherwise(r"add_vhost .* --", EVERY, "a remark says what is not kept"),
    Otherwise(
        r"list_vhosts name (description|default_queue_type)|delete_vhost qa",
        EVERY,
        "not kept of the line before",
    ),
    Otherwise(r"list_vhosts name metadata", ("4.3.6",), "not known here"),
    Otherwise(r"--formatter csv", ("4.3.6",), "its command line fails at a list, or leaves it empty"),
    Otherwise(r"paging_ratio\)", TODAYS, "not kept of the line before"),
)
"""All lines that differ."""


def is_known(line: str, release: str) -> bool:
    """Return whether it is said why a line is answered otherwise."""
    return any(release in each.releases and re.search(each.lines, line) for each in OTHERWISE)
