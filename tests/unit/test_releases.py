"""The table of releases: profiles, their old words, and rules that a scenario borrows from another release."""

from __future__ import annotations

import pickle

import msgspec
import pytest

from engine.broker.cluster import Cluster
from engine.broker.commands.scenario import parse
from engine.broker.commands.settings import NodeSettings, release_of, resolve
from engine.classic_v1.settings import QueueSettings
from engine.releases import PROFILES, REFERENCE, RELEASES, V3_8_9
from engine.storage.ledger import LedgerStorage
from engine.values.errors import ScenarioError
from playground.templatetags.waterline import PROFILE_LABELS


def queue(profile: str, **chosen: object) -> QueueSettings:
    found = resolve(profile, chosen)[0]
    assert isinstance(found, QueueSettings)
    return found


def plain(settings: object) -> QueueSettings:
    """Return what of settings version 1 reads."""
    return QueueSettings(**{name: getattr(settings, name) for name in QueueSettings.__struct_fields__})


def test_a_profile_is_a_release_at_a_scale() -> None:
    assert {word: (each.release.name, each.scale) for word, each in PROFILES.items()} == {
        "classroom": ("3.10.8", "classroom"),
        "real": ("3.10.8", "real"),
        "3.8.9-classroom": ("3.8.9", "classroom"),
        "articles": ("3.8.9", "real"),
        "4.0.5": ("4.0.5", "real"),
        "4.0.5-classroom": ("4.0.5", "classroom"),
        "4.3.6": ("4.3.6", "real"),
        "4.3.6-classroom": ("4.3.6", "classroom"),
    }
    assert PROFILE_LABELS.keys() == PROFILES.keys()


def test_the_reference_has_the_defaults_of_queue_and_node() -> None:
    found, around = resolve("real", {})
    assert (plain(found), around) == (QueueSettings(), NodeSettings())


def test_the_other_release_at_classroom_scale_has_small_numbers_and_its_own_rules() -> None:
    small = queue("3.8.9-classroom")
    assert msgspec.structs.replace(small, **V3_8_9.rules) == small
    assert msgspec.structs.replace(plain(queue("classroom")), **V3_8_9.rules) == small
    assert resolve("3.8.9-classroom", {})[1] == resolve("classroom", {})[1]


def test_a_scenario_may_borrow_the_rules_of_another_release_and_keeps_its_constants() -> None:
    borrowed = queue("real", release="3.8")
    assert borrowed.flags_deliveries
    assert borrowed.segment_entry_count == 2048
    assert queue("articles", release="3.10").segment_entry_count == 16384
    assert not queue("articles", release="3.10").flags_deliveries
    assert release_of("real", {"release": "3.8"}) is V3_8_9
    assert release_of("articles", {}) is V3_8_9


@pytest.mark.parametrize(
    ("profile", "shown"), [("real", None), ("articles", "3.8"), ("3.8.9-classroom", "3.8")]
)
def test_a_run_names_its_release_only_where_it_is_not_the_reference(profile: str, shown: str | None) -> None:
    node = Cluster(parse({"version": 1, "profile": profile}), LedgerStorage())
    assert node.snapshot()["node"]["settings"].get("release") == shown


@pytest.mark.parametrize(
    ("scenario", "words"),
    [
        ({"profile": "huge"}, "profile: 'huge'"),
        ({"profile": 3}, "profile"),
        ({"profile": "real", "settings": {"release": "2.9"}}, "settings.release: '2.9'"),
        ({"profile": "real", "settings": {"release": ["3.8"]}}, "settings.release"),
        ({"profile": "real", "settings": {"flags_deliveries": True}}, "flags_deliveries"),
        ({"profile": "real", "settings": {"delta_read_cap": 0}}, "settings.delta_read_cap"),
        (
            {"profile": "real", "settings": {"msg_store_credit_disc_bound": [1, 2]}},
            "msg_store_credit_disc_bound",
        ),
    ],
)
def test_what_the_table_does_not_have_is_refused_by_its_place(
    scenario: dict[str, object], words: str
) -> None:
    with pytest.raises(ScenarioError) as refused:
        parse({"version": 1, **scenario})
    assert words in str(refused.value)


def test_a_copy_of_a_run_has_the_row_itself() -> None:
    assert pickle.loads(pickle.dumps(V3_8_9)) is V3_8_9


def test_every_row_serves_every_queue() -> None:
    assert REFERENCE in RELEASES.values()
    for release in RELEASES.values():
        asked: tuple[dict[str, int], ...] = ({}, {"x-queue-version": 2}, {"x-max-priority": 3})
        found = [release.backing_queue_of(_Queue("a", arguments)) for arguments in asked]
        assert list(dict.fromkeys(found)) == list(release.queues)


class _Queue(msgspec.Struct, frozen=True):
    name: str
    arguments: dict[str, int]
