"""What AMQP allows and refuses; every text is what RabbitMQ 3.10.8 answered to the same request."""

import pytest

from engine.amqp.declarations import (
    DeclaredQueue,
    check_access,
    check_binding,
    check_consume,
    check_delete_exchange,
    check_delete_queue,
    check_publish,
    declare_exchange,
    declare_queue,
    unknown_tag,
)
from engine.amqp.errors import AmqpError
from engine.amqp.exchanges import Binding, Exchange
from engine.values.errors import CommandError

LOCKED = (
    "RESOURCE_LOCKED - cannot obtain exclusive access to locked queue '{}' in vhost '/'. It could be originally "
    "declared on another connection or the exclusive property value does not match that of the original declaration."
)
QUEUES = {
    "plain": DeclaredQueue(name="plain"),
    "lim": DeclaredQueue(name="lim", arguments={"x-max-length": 5, "x-queue-mode": "lazy"}),
    "mine": DeclaredQueue(name="mine", durable=False, owner="first"),
}
LIM = {"x-max-length": 5, "x-queue-mode": "lazy"}
XD = Exchange(name="xd")


def _refused(code, closes, text, ask, *args, **fields) -> None:
    with pytest.raises(AmqpError) as caught:
        ask(*args, **fields)
    assert (caught.value.code, caught.value.closes, caught.value.text) == (code, closes, text)


def _declare(name, **fields) -> DeclaredQueue:
    return declare_queue(QUEUES.get(name), name=name, connection="second", **fields)


@pytest.mark.parametrize(
    ("name", "fields", "code", "text"),
    [
        ("none", {"passive": True}, 404, "NOT_FOUND - no queue 'none' in vhost '/'"),
        ("mine", {"passive": True}, 405, LOCKED.format("mine")),
        ("mine", {"exclusive": True}, 405, LOCKED.format("mine")),
        ("plain", {"exclusive": True}, 405, LOCKED.format("plain")),
        ("amq.foo", {}, 403, "ACCESS_REFUSED - queue name 'amq.foo' contains reserved prefix 'amq.*'"),
    ],
)
def test_declare_refused(name, fields, code, text):
    _refused(code, "channel", text, _declare, name, **fields)


INEQUIVALENT = (
    "PRECONDITION_FAILED - inequivalent arg '{}' for queue '{}' in vhost '/': received {} but current is {}"
)


@pytest.mark.parametrize(
    ("name", "fields", "words"),
    [
        ("plain", {"durable": False}, ("durable", "plain", "'false'", "'true'")),
        ("plain", {"auto_delete": True}, ("auto_delete", "plain", "'true'", "'false'")),
        (
            "plain",
            {"arguments": {"x-max-length": 7}},
            ("x-max-length", "plain", "the value '7' of type 'signedint'", "none"),
        ),
        (
            "plain",
            {"arguments": {"x-max-length": 2**40}},
            ("x-max-length", "plain", "the value '1099511627776' of type 'long'", "none"),
        ),
        (
            "plain",
            {"arguments": {"x-max-length": True}},
            ("x-max-length", "plain", "the value 'true' of type 'bool'", "none"),
        ),
        ("lim", {"arguments": {**LIM, "x-max-length": 7}}, ("x-max-length", "lim", "'7'", "'5'")),
        ("lim", {"arguments": {**LIM, "x-max-length": True}}, ("x-max-length", "lim", "'true'", "'5'")),
        (
            "lim",
            {"arguments": {**LIM, "x-queue-mode": "default"}},
            ("x-queue-mode", "lim", "'default'", "'lazy'"),
        ),
        (
            "lim",
            {"arguments": {"x-queue-mode": "lazy"}},
            ("x-max-length", "lim", "none", "the value '5' of type 'signedint'"),
        ),
    ],
)
def test_redeclared_differently(name, fields, words):
    _refused(406, "channel", INEQUIVALENT.format(*words), _declare, name, **fields)


@pytest.mark.parametrize(
    ("argument", "wrong"),
    [
        ({"x-message-ttl": -1}, "{value_negative,-1}"),
        ({"x-message-ttl": 2**50}, "{value_too_large,1125899906842624}"),
        ({"x-message-ttl": "a"}, '"expected integer, got longstr"'),
        ({"x-message-ttl": True}, '"expected integer, got bool"'),
        ({"x-expires": 0}, "{value_zero,0}"),
        ({"x-expires": -1}, "{value_negative,-1}"),
        ({"x-max-length": -1}, "{value_negative,-1}"),
        ({"x-overflow": "x"}, "invalid_overflow"),
        ({"x-overflow": 1}, "{unacceptable_type,signedint}"),
        ({"x-queue-mode": "x"}, "\"unsupported queue mode 'x'\""),
        ({"x-queue-mode": 3}, "{unacceptable_type,signedint}"),
        ({"x-dead-letter-routing-key": "k"}, "routing_key_but_no_dlx_defined"),
        ({"x-max-priority": 300}, "{max_value_exceeded,300}"),
        ({"x-queue-type": "x"}, "\"unsupported queue type 'x'\""),
        ({"x-queue-version": 3}, "\"unsupported queue version '3'\""),
        ({"x-single-active-consumer": 1}, "{unacceptable_type,signedint}"),
    ],
)
def test_argument_refused(argument, wrong):
    text = f"PRECONDITION_FAILED - invalid arg '{next(iter(argument))}' for queue 'new' in vhost '/': {wrong}"
    _refused(406, "channel", text, _declare, "new", arguments=argument)


@pytest.mark.parametrize("name", ["x-max-age", "x-delivery-limit", "x-dead-letter-strategy"])
def test_argument_of_another_queue_type(name):
    text = f"PRECONDITION_FAILED - invalid arg '{name}' for queue 'new' in vhost '/' of queue type rabbit_classic_queue"
    _refused(406, "channel", text, _declare, "new", arguments={name: "1D"})


def test_dead_letter_exchange_of_the_wrong_type():
    text = "PRECONDITION_FAILED - invalid type 'signedint' for arg 'x-dead-letter-exchange' in queue 'new' in vhost '/'"
    _refused(406, "channel", text, _declare, "new", arguments={"x-dead-letter-exchange": 3})


@pytest.mark.parametrize(
    ("argument", "where_to_read"),
    [
        ({"x-queue-type": "quorum"}, "Raft.* rabbitmq.com/docs/quorum-queues"),
        ({"x-queue-type": "stream"}, "without taking anything out.* rabbitmq.com/docs/streams"),
    ],
)
def test_what_is_not_modelled_is_named(argument, where_to_read):
    with pytest.raises(CommandError, match=f"{where_to_read} and leave the argument out"):
        _declare("new", arguments=argument)


def test_declared():
    assert _declare("new", durable=True) == DeclaredQueue(name="new")
    assert _declare("new", durable=True, exclusive=True) == DeclaredQueue(
        name="new", durable=False, owner="second"
    )
    assert _declare("plain", arguments={"x-foo": True}) is QUEUES["plain"]
    assert _declare("plain", arguments={"x-queue-type": "classic"}) is QUEUES["plain"]
    assert _declare("lim", arguments=LIM) is QUEUES["lim"]
    assert _declare("lim", passive=True) is QUEUES["lim"]
    again = declare_queue(QUEUES["mine"], name="mine", connection="first", exclusive=True, durable=True)
    assert again is QUEUES["mine"]


def test_access():
    assert check_access(QUEUES["mine"], "mine", "first") is QUEUES["mine"]
    _refused(405, "channel", LOCKED.format("mine"), check_access, QUEUES["mine"], "mine", "second")


def test_consume():
    text = "ACCESS_REFUSED - queue 'lim' in vhost '/' in exclusive use"
    _refused(403, "channel", text, check_consume, QUEUES["lim"], "lim", "c", exclusive=True, consumers=1)
    _refused(403, "channel", text, check_consume, QUEUES["lim"], "lim", "c", consumers=1, has_exclusive=True)
    assert check_consume(QUEUES["lim"], "lim", "c", consumers=1) is QUEUES["lim"]
    assert check_consume(QUEUES["lim"], "lim", "c", exclusive=True) is QUEUES["lim"]


def test_delete_queue():
    plain = QUEUES["plain"]
    in_use = "PRECONDITION_FAILED - queue 'plain' in vhost '/' in use"
    _refused(406, "channel", in_use, check_delete_queue, plain, "c", ready=0, consumers=1, if_unused=True)
    full = "PRECONDITION_FAILED - queue 'plain' in vhost '/' not empty"
    _refused(406, "channel", full, check_delete_queue, plain, "c", ready=1, consumers=0, if_empty=True)
    both = {"if_unused": True, "if_empty": True}
    _refused(406, "channel", full, check_delete_queue, plain, "c", ready=1, consumers=1, **both)
    _refused(406, "channel", in_use, check_delete_queue, plain, "c", ready=0, consumers=1, **both)
    check_delete_queue(None, "c", ready=0, consumers=0)
    check_delete_queue(plain, "c", ready=5, consumers=5)


EXCHANGE = "PRECONDITION_FAILED - inequivalent arg '{}' for exchange 'xd' in vhost '/': received {} but current is {}"


@pytest.mark.parametrize(
    ("wish", "code", "text"),
    [
        (Exchange(name="xd", type="fanout"), 406, EXCHANGE.format("type", "'fanout'", "'direct'")),
        (Exchange(name="xd", durable=False), 406, EXCHANGE.format("durable", "'false'", "'true'")),
        (Exchange(name="xd", internal=True), 406, EXCHANGE.format("internal", "'true'", "'false'")),
        (Exchange(name="xd", auto_delete=True), 406, EXCHANGE.format("auto_delete", "'true'", "'false'")),
        (
            Exchange(name="xd", arguments={"alternate-exchange": "a"}),
            406,
            EXCHANGE.format("alternate-exchange", "the value 'a' of type 'longstr'", "none"),
        ),
        (Exchange(name=""), 403, "ACCESS_REFUSED - operation not permitted on the default exchange"),
        (
            Exchange(name="amq.foo"),
            403,
            "ACCESS_REFUSED - exchange name 'amq.foo' contains reserved prefix 'amq.*'",
        ),
        (
            Exchange(name="xn", arguments={"alternate-exchange": 1}),
            406,
            "PRECONDITION_FAILED - invalid type 'signedint' for arg 'alternate-exchange' in exchange 'xn' in vhost '/'",
        ),
    ],
)
def test_exchange_refused(wish, code, text):
    _refused(code, "channel", text, declare_exchange, XD if wish.name == "xd" else None, wish)


def test_exchange_of_an_unknown_type_closes_the_connection():
    _refused(
        503,
        "connection",
        "COMMAND_INVALID - unknown exchange type 'odd'",
        declare_exchange,
        None,
        Exchange(name="x", type="odd"),
    )


def test_exchange_declared():
    assert declare_exchange(XD, Exchange(name="xd")) is XD
    assert declare_exchange(XD, Exchange(name="xd", type="fanout"), passive=True) is XD
    new = Exchange(name="new", type="topic")
    assert declare_exchange(None, new) is new
    _refused(404, "channel", "NOT_FOUND - no exchange 'new' in vhost '/'", declare_exchange, None, new, True)


def test_delete_exchange():
    system = "ACCESS_REFUSED - deletion of system exchange 'amq.direct' in vhost '/' not allowed"
    _refused(
        403,
        "channel",
        system,
        check_delete_exchange,
        Exchange(name="amq.direct"),
        "amq.direct",
        bound=False,
        if_unused=False,
    )
    default = "ACCESS_REFUSED - operation not permitted on the default exchange"
    _refused(403, "channel", default, check_delete_exchange, None, "", bound=False, if_unused=False)
    used = "PRECONDITION_FAILED - exchange 'xd' in vhost '/' in use"
    _refused(406, "channel", used, check_delete_exchange, XD, "xd", bound=True, if_unused=True)
    check_delete_exchange(XD, "xd", bound=True, if_unused=False)
    check_delete_exchange(None, "gone", bound=False, if_unused=True)


def test_binding():
    plain, headers = QUEUES["plain"], Exchange(name="xh", type="headers")

    def refused(code, text, place, wanted, **fields) -> None:
        unbind = fields.pop("unbind", False)
        binding = Binding(**{"exchange": "nox", "queue": "noq", "routing_key": "k", **fields})
        _refused(code, "channel", text, check_binding, place, wanted, binding, "second", unbind=unbind)

    default = "ACCESS_REFUSED - operation not permitted on the default exchange"
    refused(403, default, Exchange(name=""), plain, exchange="")
    refused(403, default, Exchange(name=""), plain, exchange="", unbind=True)
    refused(404, "NOT_FOUND - no exchange 'nox' in vhost '/'", None, plain)
    refused(404, "NOT_FOUND - no exchange 'nox' in vhost '/'", None, None)
    refused(404, "NOT_FOUND - no queue 'noq' in vhost '/'", XD, None)
    refused(405, LOCKED.format("mine"), XD, QUEUES["mine"], queue="mine")
    refused(
        406,
        'PRECONDITION_FAILED - Invalid x-match field value <<"foo">>; expected all, any, all-with-x, or any-with-x',
        headers,
        plain,
        arguments={"x-match": "foo"},
    )
    refused(
        406,
        "PRECONDITION_FAILED - Invalid x-match field type signedint (value 3); expected longstr",
        headers,
        plain,
        arguments={"x-match": 3},
    )
    odd = Binding(exchange="xh", queue="plain", arguments={"x-match": "foo"})
    check_binding(headers, plain, odd, "c", unbind=True)
    check_binding(None, None, odd, "c", unbind=True)
    check_binding(XD, plain, odd, "c")


@pytest.mark.parametrize(
    ("exchange", "fields", "code", "closes", "text"),
    [
        (None, {}, 404, "channel", "NOT_FOUND - no exchange 'x' in vhost '/'"),
        (
            Exchange(name="x", internal=True),
            {},
            403,
            "channel",
            "ACCESS_REFUSED - cannot publish to internal exchange 'x' in vhost '/'",
        ),
        (
            XD,
            {"expiration": "abc"},
            406,
            "channel",
            "PRECONDITION_FAILED - invalid expiration 'abc': no_integer",
        ),
        (XD, {"expiration": ""}, 406, "channel", "PRECONDITION_FAILED - invalid expiration '': no_integer"),
        (
            XD,
            {"expiration": "-5"},
            406,
            "channel",
            "PRECONDITION_FAILED - invalid expiration '-5': {value_negative,-5}",
        ),
        (
            XD,
            {"expiration": "5x"},
            406,
            "channel",
            "PRECONDITION_FAILED - invalid expiration '5x': {leftover_string,\"x\"}",
        ),
        (
            XD,
            {"expiration": "999999999999999"},
            406,
            "channel",
            "PRECONDITION_FAILED - invalid expiration '999999999999999': {value_too_large,999999999999999}",
        ),
        (
            XD,
            {"size_bytes": 11, "max_message_bytes": 10},
            406,
            "channel",
            "PRECONDITION_FAILED - message size 11 is larger than configured max size 10",
        ),
    ],
)
def test_publish_refused(exchange, fields, code, closes, text):
    """P22 is what a message that is too large is refused for."""
    _refused(code, closes, text, check_publish, exchange, "x", **fields)


def test_unknown_tags():
    check_publish(XD, "xd", expiration="0")
    assert unknown_tag(7).text == "PRECONDITION_FAILED - unknown delivery tag 7"
    assert (unknown_tag(7).code, unknown_tag(7).closes) == (406, "channel")


def test_long_texts_are_cut_as_a_short_string():
    with pytest.raises(AmqpError) as caught:
        check_access(None, "q" * 300, "c")
    assert len(caught.value.text) == 255
