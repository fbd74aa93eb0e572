"""The headers of a dead letter, and which cycles end."""

import pytest

from engine.amqp.deaths import died, without_cycles
from engine.releases import RELEASES
from engine.replay import on_ledger

WHERE = {"queue": "q", "exchange": "x", "routing_key": "k", "time_s": 7}


def test_first_death():
    headers = died({"mine": 1}, reason="expired", expiration_ms=5, **WHERE)
    assert headers == {
        "mine": 1,
        "x-death": [
            {
                "count": 1,
                "reason": "expired",
                "queue": "q",
                "time": 7,
                "exchange": "x",
                "routing-keys": ["k"],
                "original-expiration": "5",
            }
        ],
        "x-first-death-exchange": "x",
        "x-first-death-queue": "q",
        "x-first-death-reason": "expired",
    }


def test_same_queue_and_reason_is_counted_and_comes_first():
    headers = died(None, reason="rejected", **WHERE)
    headers = died(headers, reason="maxlen", queue="r", exchange="", routing_key="r", time_s=8)
    headers = died(headers, reason="rejected", queue="q", exchange="later", routing_key="later", time_s=9)
    deaths = headers["x-death"]
    assert [(each["queue"], each["reason"], each["count"]) for each in deaths] == [
        ("q", "rejected", 2),
        ("r", "maxlen", 1),
    ]
    assert (deaths[0]["time"], deaths[0]["exchange"], deaths[0]["routing-keys"]) == (7, "x", ["k"])
    assert headers["x-first-death-queue"] == "q"


def test_another_reason_is_another_entry():
    headers = died(died(None, reason="rejected", **WHERE), reason="expired", **WHERE)
    assert [each["reason"] for each in headers["x-death"]] == ["expired", "rejected"]


def test_copies_count_as_keys_and_a_new_key_takes_them_away():
    headers = died({"CC": ["c"]}, reason="expired", new_routing_key="n", **WHERE)
    assert headers["x-death"][0]["routing-keys"] == ["k", "c"]
    assert "CC" not in headers
    assert died({"CC": ["c"]}, reason="expired", **WHERE)["CC"] == ["c"]


def test_x_death_that_a_client_spoiled_begins_again():
    assert died({"x-death": "spoiled"}, reason="expired", **WHERE)["x-death"][0]["count"] == 1


def test_cycles():
    once = died(None, reason="expired", **WHERE)
    assert without_cycles("expired", once, ["p", "q"]) == (("p",), ("q",))
    assert without_cycles("rejected", once, ["q"]) == (("q",), ())
    for release, expected in (({}, ((), ("q",))), ({"copies": (), "died_before": True}, (("q",), ()))):
        rejected = died(
            died(None, reason="expired", **WHERE, **release),
            reason="rejected",
            queue="r",
            exchange="",
            routing_key="r",
            time_s=8,
            **release,
        )
        back = died(rejected, reason="expired", queue="s", exchange="", routing_key="s", time_s=9, **release)
        # Somebody rejected it on the way, which 3.x does not see any more: each death turns the older ones round.
        assert without_cycles("expired", back, ["q"]) == expected
    assert without_cycles("expired", back, ["s"]) == ((), ("s",))


def _deaths_in(*queues: str, **release):
    headers = None
    for queue in queues:
        headers = died(
            headers, reason="rejected", queue=queue, exchange="", routing_key=queue, time_s=1, **release
        )
    return [each["queue"] for each in headers["x-death"]]


def test_each_death_turns_the_older_ones_round_before_4_0():
    """D16: as on real nodes (directed program death-order); 4.x has them one after the other (W223)."""
    assert _deaths_in("a", "b", "c", "d") == ["d", "b", "a", "c"]
    assert _deaths_in("a", "b", "c", "d", copies=(), died_before=True) == ["d", "c", "b", "a"]


def test_what_a_client_writes_into_x_death_counts_before_4_0_only():
    """W223: the usual pattern of retries sends the header on."""
    mine = {"x-death": [{"count": 2, "queue": "q", "reason": "rejected"}], "x-first-death-queue": "mine"}
    before = died(mine, reason="rejected", **WHERE)
    assert (before["x-death"][0]["count"], before["x-first-death-queue"]) == (3, "mine")
    today = died(mine, reason="rejected", copies=(), **WHERE)
    assert (today["x-death"][0]["count"], today["x-first-death-queue"]) == (1, "q")
    again = died(today, reason="rejected", copies=(), died_before=True, **WHERE)
    assert again["x-death"][0]["count"] == 2


def test_entries_of_one_pair_are_one_before_4_0():
    mine = {"x-death": [{"queue": "q", "reason": "expired"}, {"queue": "q", "reason": "expired"}]}
    assert [each["count"] for each in died(mine, reason="expired", **WHERE)["x-death"]] == [3]


@pytest.mark.parametrize(
    "deaths",
    [["a"], [{"queue": "z", "reason": "expired"}, 1], [{"queue": "q", "reason": "expired", "count": "x"}]],
)
@pytest.mark.parametrize("series", ["3.8", "3.10", "4.0"])
def test_what_no_clause_matches_ends_the_queue_process_before_4_0(series, deaths):
    """A real 3.10.8 started the process five times within a second; each met the message again; then it was down."""
    names = {"x-dead-letter-exchange": "", "x-dead-letter-routing-key": "dead"}
    message = {"do": "publish", "routing_key": "q", "count": 1, "size_bytes": 5, "persistent": True}
    cluster = on_ledger(
        {
            "version": 1,
            "title": "",
            "profile": RELEASES[series].profiles["real"],
            "seed": 1,
            "topology": {"queues": [{"name": "q", "arguments": names}, {"name": "dead"}]},
            "commands": [{**message, "at_us": 1_000, "headers": {"x-death": deaths}, "expiration_ms": 300}],
            "until_us": 30_000_000,
        }
    )
    cluster.advance(30_000_000)
    cluster.verify()
    is_old = series != "4.0"
    assert cluster.queues["dead"].process.queue.depth == (0 if is_old else 1)
    assert (cluster.queues["q"].process.held is not None) is is_old
