"""Reading what a browser sends."""

from typing import get_args

import pytest

from playground.hosting import protocol
from playground.sessions import session_sockets

MOST = 1000


def test_messages_are_typed() -> None:
    assert session_sockets.decode('{"t":"hello","have":null}', MOST) == protocol.PageHello()
    assert session_sockets.decode('{"t":"ack","through":5}', MOST) == protocol.FrameAck(5)
    assert session_sockets.decode('{"t":"control","play":true,"speed":0.5}', MOST) == protocol.ControlRun(
        True, 0.5
    )
    assert session_sockets.decode('{"t":"step"}', MOST) == protocol.StepRun()
    command = session_sockets.decode('{"t":"command","id":1,"command":{"do":"purge"}}', MOST)
    assert command == protocol.CommandMessage(1, {"do": "purge"})


@pytest.mark.parametrize(
    "text",
    [
        "",
        "{",
        "null",
        "[]",
        "5",
        '{"t":"dance"}',
        '{"t":"ack"}',
        '{"t":"ack","through":-1}',
        '{"t":"ack","through":1e999}',
        '{"t":"ack","through":"1"}',
        '{"t":"control","speed":NaN}',
        '{"t":"control","speed":0}',
        '{"t":"control","speed":1000}',
        '{"t":"control","play":"yes"}',
        '{"t":"hello","have":1.5}',
        '{"t":"command","id":1,"command":[]}',
        '{"t":"command","id":1,"command":' + "[" * 400 + "]" * 400 + "}",
        '{"t":"command","id":1,"command":{"do":' + "1" * 100 + "e999}}",
        '{"t":"command","id":' + "9" * 40 + "}",
        '{"t":"ack","through":5}' + " " * MOST,
        '{"t":"hello","life":"' + "x" * 100 + '"}',
        "\ud800",
    ],
)
def test_anything_else_is_refused_with_a_reason(text: str) -> None:
    with pytest.raises(session_sockets.BadMessage) as bad:
        session_sockets.decode(text, MOST)
    assert str(bad.value)


def test_very_deep_nesting_is_refused() -> None:
    with pytest.raises(session_sockets.BadMessage):
        session_sockets.decode('{"t":"command","id":1,"command":' + "[" * 100_000, 1_000_000)


def test_the_id_is_named_when_it_can_be_made_out() -> None:
    with pytest.raises(session_sockets.BadMessage) as bad:
        session_sockets.decode('{"t":"command","id":41,"command":3}', MOST)
    assert bad.value.number == 41


def test_what_is_said_of_messages_is_said_of_messages_that_there_are() -> None:
    every = protocol.tags(protocol.Message)
    assert "hello" in protocol.tags(protocol.Watching)
    for union in (protocol.Watching, protocol.Answered, protocol.Pacing):
        assert protocol.tags(union) < every
    assert protocol.tags(protocol.Pacing) < protocol.tags(protocol.Watching)


def test_whoever_only_watches_may_change_the_pace() -> None:
    assert (
        set(get_args(protocol.Pacing)) <= set(get_args(protocol.Watching)) <= set(get_args(protocol.Message))
    )
