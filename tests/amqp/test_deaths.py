"""The headers of a dead letter, and which cycles end."""

from engine.amqp.deaths import died, without_cycles

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
    rejected = died(
        died(None, reason="expired", **WHERE),
        reason="rejected",
        queue="r",
        exchange="",
        routing_key="r",
        time_s=8,
    )
    back = died(rejected, reason="expired", queue="s", exchange="", routing_key="s", time_s=9)
    assert without_cycles("expired", back, ["q"]) == (("q",), ())  # somebody rejected it on the way
    assert without_cycles("expired", back, ["s"]) == ((), ("s",))
