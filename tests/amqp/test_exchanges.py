"""The way of a message through exchanges and bindings (D1)."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.amqp.exchanges import (
    HASHES,
    Binding,
    Exchange,
    Exchanges,
    TopicTrie,
    headers_match,
    phash2,
    words_of,
)


def _exchanges(kind: str, *bindings: tuple[str, str], **fields: object) -> Exchanges:
    made = Exchanges()
    made.add(Exchange(name="x", type=kind, **fields))
    for queue, key in bindings:
        made.add_queue(queue)
        made.bind(Binding(exchange="x", queue=queue, routing_key=key))
    return made


def test_default_exchange_knows_every_queue_by_name():
    made = _exchanges("direct", ("a", "k"), ("b", "k"))
    assert made.route("", ["b"]) == ("b",)
    assert made.route("", ["k"]) == ()
    made.forget_queue("b")
    assert made.route("", ["b"]) == ()


def test_direct_and_fanout():
    assert _exchanges("direct", ("b", "k"), ("a", "k"), ("c", "l")).route("x", ["k"]) == ("a", "b")
    assert _exchanges("fanout", ("b", "k"), ("a", "l")).route("x", ["nobody asked"]) == ("a", "b")


@pytest.mark.parametrize(
    ("pattern", "key", "fits"),
    [
        ("a.*.c", "a.b.c", True),
        ("a.*.c", "a.c", False),
        ("a.#", "a", True),
        ("a.#", "a.b.c", True),
        ("#", "", True),
        ("*", "", False),
        ("", "", True),
        ("#.b.#", "a.b", True),
        ("#.b.#", "a.c", False),
        ("*.*", ".", True),
        ("#.#.a", "a", True),
        ("a.*", "a.b.c", False),
        ("ab", "a", False),
    ],
)
def test_topic_patterns(pattern, key, fits):
    assert _exchanges("topic", ("q", pattern)).route("x", [key]) == (("q",) if fits else ())


WORDS = st.lists(st.sampled_from(["a", "b", "*", "#"]), max_size=5).map(".".join)


def _fits(pattern: list[str], key: list[str]) -> bool:
    """Fit word by word, as the definition reads."""
    if not pattern:
        return not key
    if pattern[0] == "#":
        return _fits(pattern[1:], key) or (bool(key) and _fits(pattern, key[1:]))
    return bool(key) and pattern[0] in ("*", key[0]) and _fits(pattern[1:], key[1:])


@given(st.lists(WORDS, max_size=8, unique=True), WORDS, st.data())
def test_trie_is_the_definition(patterns, key, data):
    trie: TopicTrie[str] = TopicTrie()
    for pattern in patterns:
        trie.add(pattern, pattern)
    gone = data.draw(st.sets(st.sampled_from(patterns)) if patterns else st.just(set()))
    for pattern in sorted(gone):
        trie.remove(pattern, pattern)
    expected = {p for p in patterns if p not in gone and _fits(list(words_of(p)), list(words_of(key)))}
    assert trie.matching(key) == expected


def test_many_hashes_cost_little():
    trie: TopicTrie[str] = TopicTrie()
    trie.add(".".join(["#"] * 200 + ["end"]), "q")
    assert trie.matching(".".join(["a"] * 200)) == set()


@pytest.mark.parametrize(
    ("arguments", "headers", "fits"),
    [
        ({"a": 1, "b": 2}, {"a": 1, "b": 2, "c": 3}, True),
        ({"a": 1, "b": 2}, {"a": 1}, False),
        ({"x-match": "any", "a": 1, "b": 2}, {"b": 2}, True),
        ({"x-match": "any", "a": 1}, {}, False),
        ({"x-match": "any"}, {"a": 1}, False),
        ({}, {}, True),
        ({"x-match": "all", "x-a": 1}, {}, True),
        ({"x-match": "all-with-x", "x-a": 1}, {}, False),
        ({"x-match": "any-with-x", "x-a": 1}, {"x-a": 1}, True),
        ({"x-match": "any", "x-a": 1}, {"x-a": 1}, False),
        ({"a": None}, {"a": "anything"}, True),
        ({"a": None}, {"b": 1}, False),
        ({"a": 1}, {"a": 1.0}, True),
        ({"a": 1}, {"a": True}, False),
        ({"a": 1}, {"a": "1"}, False),
    ],
)
def test_headers(arguments, headers, fits):
    assert headers_match(arguments, headers) is fits


def test_same_binding_counts_once_other_arguments_again():
    made = _exchanges("topic", ("q", "a.#"))
    again = Binding(exchange="x", queue="q", routing_key="a.#")
    other = Binding(exchange="x", queue="q", routing_key="a.#", arguments={"n": 1})
    assert made.bind(again) is False
    assert made.bind(other) is True
    assert made.unbind(again) is True
    assert made.route("x", ["a.b"]) == ("q",)
    assert made.unbind(again) is False
    made.unbind(other)
    assert made.route("x", ["a.b"]) == ()


def test_auto_delete_exchange_goes_with_its_last_binding():
    made = _exchanges("direct", ("a", "k"), ("b", "k"), auto_delete=True)
    assert made.forget_queue("a") == [Binding(exchange="x", queue="a", routing_key="k")]
    assert "x" in made.exchanges
    made.unbind(Binding(exchange="x", queue="b", routing_key="k"))
    assert "x" not in made.exchanges
    assert made.route("x", ["k"]) == ()


def test_removed_exchange_takes_its_bindings():
    made = _exchanges("topic", ("a", "k"), ("b", "k"))
    assert len(made.remove("x")) == 2
    assert made.bindings == []


def test_alternate_exchange_gets_what_nobody_wants_and_circles_end():
    made = _exchanges("direct", ("a", "k"), arguments={"alternate-exchange": "y"})
    made.add(Exchange(name="y", type="fanout", arguments={"alternate-exchange": "x"}))
    assert made.route("x", ["other"]) == ()
    made.add_queue("lost")
    made.bind(Binding(exchange="y", queue="lost"))
    assert made.route("x", ["other"]) == ("lost",)
    assert made.route("x", ["k"]) == ("a",)


def test_restart_keeps_what_is_durable_on_both_ends():
    made = _exchanges("direct", ("keeps", "k"), ("goes", "k"))
    made.add(Exchange(name="soft", durable=False))
    made.bind(Binding(exchange="soft", queue="keeps"))
    after = made.after_restart({"keeps"})
    assert after.route("x", ["k"]) == ("keeps",)
    assert "soft" not in after.exchanges
    assert after.route("", ["goes"]) == ()
    assert "amq.topic" in after.exchanges


@pytest.mark.parametrize(
    ("keys", "hashed"),
    [
        ([""], 38220213),
        (["a"], 53691870),
        (["a", "b"], 3094894),
        (["abcdefghijk"], 95467487),
        (["abcdefghijkl"], 89208944),
        (["abcdefghijklm", "ü"], 21299436),
        ([], 113427502),
    ],
)
def test_the_hash_of_routing_keys_is_erlangs(keys, hashed):
    """W231: asked of Erlang's own phash2, with 2^27 for the range; it is the same in every release of OTP."""
    assert phash2([key.encode() for key in keys], HASHES) == hashed


def _bound(kind):
    exchanges = Exchanges()
    exchanges.add(Exchange(name="x", type=kind))
    for name in ("c", "a", "b"):
        exchanges.add_queue(name)
        exchanges.bind(Binding(exchange="x", queue=name))
    return exchanges


def test_an_exchange_that_hashes_takes_the_queue_of_the_keys():
    """W231: the queues in the order of their names, and the hash for one of them."""
    exchanges = _bound("x-modulus-hash")
    names = ("a", "b", "c")
    for key in ("", "a", "abcdefghijk", "eu.de"):
        assert exchanges.route("x", [key]) == (names[phash2([key.encode()], HASHES) % 3],)


def test_an_exchange_that_draws_takes_its_queues_in_turn():
    """W231."""
    exchanges = _bound("x-local-random")
    assert [exchanges.route("x", ["any"], turn=turn) for turn in range(4)] == [("a",), ("b",), ("c",), ("a",)]
    exchanges.forget_queue("b")
    assert {exchanges.route("x", [""], turn=turn) for turn in range(9)} == {("a",), ("c",)}
