"""The rest of the recordings' format: what the recordings that are kept here have none of."""

from __future__ import annotations

import json
from typing import Any

import pytest

from engine.storage.ledger import LedgerStorage
from tests.conftest import RECORDINGS
from tools.proofs.conformance.exsss import Exsss
from tools.proofs.conformance.picks import picked
from tools.proofs.conformance.replay import differing, expected_of, replay_v2
from tools.proofs.conformance.vector import shortened

PENDING = (2, 3, 5, 8, 9, 14)


@pytest.mark.parametrize(
    ("seed", "state", "numbers"),
    [
        (42, (132629853624823445, 67522330609774851), (0.3672301478324621, 0.899364294071664)),
        (0, (153307352162749871, 178066366098138612), (0.480831962745912, 0.3012308634107995)),
        (420137, (190862699438101292, 145441775680032439), (0.5105458421046689, 0.36155160119053165)),
    ],
)
def test_numbers_are_those_of_erlang(seed: int, state: tuple[int, int], numbers: tuple[float, ...]) -> None:
    """Asked of OTP 25: rand:seed_s(exsss, Seed), then rand:uniform_s/1 again and again."""
    begun = Exsss(seed)
    assert begun.state == state
    assert tuple(begun.uniform() for _ in numbers) == numbers


@pytest.mark.parametrize(
    ("pick", "tags"),
    [
        ({"kind": "all"}, [2, 3, 5, 8, 9, 14]),
        ({"kind": "range", "first": 3, "last": 8}, [3, 5, 8]),
        ({"kind": "range", "first": 10, "last": 13}, []),
        ({"kind": "oldest", "n": 2}, [2, 3]),
        ({"kind": "newest", "n": 2}, [9, 14]),
        ({"kind": "newest", "n": 0}, []),
        ({"kind": "newest_desc", "n": 9}, [14, 9, 8, 5, 3, 2]),
        ({"kind": "every", "k": 2, "offset": 1}, [3, 8, 14]),
        ({"kind": "every", "k": 2, "offset": 7}, []),
        ({"kind": "random", "n": 3, "seed": 420137}, [5, 3, 2]),
    ],
)
def test_what_a_pick_chooses(pick: dict[str, Any], tags: list[int]) -> None:
    """The random one asked of OTP 25 as well, by lists:sort([{rand:uniform(), Tag} || Tag <- Pending])."""
    assert picked(pick, PENDING) == tags


def test_an_unknown_pick_is_an_error() -> None:
    with pytest.raises(ValueError, match="odd"):
        picked({"kind": "odd"}, PENDING)


@pytest.mark.parametrize("release", ["4.3.6", "4.0.5"])
@pytest.mark.parametrize("multiple", [True, False])
def test_an_ack_that_picks_nothing_changes_nothing(release: str, multiple: bool) -> None:
    trace = _trace(release, "s049")
    before = trace["steps"][9]["after"]
    nothing = {"op": "ack", "multiple": multiple, "pick": {"kind": "range", "first": 1000, "last": 1001}}
    step = {"op": "burst", "steps": [nothing], "result": {"results": [{"acked": 0}]}}
    step["after"] = {name: value for name, value in before.items() if name != "hex"}
    trace["steps"] = [*trace["steps"][:10], step]
    outcome = replay_v2(trace, LedgerStorage())
    assert outcome.whole, outcome.differences


def test_a_stop_that_crashed_may_stand_beside_the_result() -> None:
    """W45: both forms of the recordings say the same."""
    terms = {"terms": "non_clean_shutdown"}
    inside = {"op": "restart", "result": {**terms, "terminate_crashed": True}, "after": {}}
    assert expected_of({"op": "restart", "result": terms, "terminate_crashed": True, "after": {}}) == (
        expected_of(inside)
    )
    assert expected_of({"op": "restart", "result": terms, "after": {}})["result"] == terms


def test_a_long_list_is_equal_to_its_short_form_and_to_no_other() -> None:
    files = list(range(20))
    for expected, actual in ((files, shortened(files)), (shortened(files), files), (files, files)):
        assert not list(differing({"gc_candidates": expected}, {"gc_candidates": actual}))
    assert list(differing({"gc_candidates": files}, {"gc_candidates": shortened(files[1:])}))
    assert list(differing({"gc_candidates": []}, {"gc_candidates": {"n": 1}}))


def _trace(release: str, name: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((RECORDINGS / "v2" / release / f"{name}.json").read_text())
    return found
