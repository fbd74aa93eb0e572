"""Reading what a browser sends."""

from typing import get_args

import pytest

from playground import wire
from playground.hosting.session import said

MOST = 1000


def test_messages_are_typed() -> None:
    assert wire.decode('{"t":"hello","have":null}', MOST) == said.Hello()
    assert wire.decode('{"t":"ack","through":5}', MOST) == said.Ack(5)
    assert wire.decode('{"t":"control","play":true,"speed":0.5}', MOST) == said.Control(True, 0.5)
    assert wire.decode('{"t":"step"}', MOST) == said.Step()
    command = wire.decode('{"t":"command","id":1,"command":{"do":"purge"}}', MOST)
    assert command == said.CommandMessage(1, {"do": "purge"})


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
    with pytest.raises(wire.BadMessage) as bad:
        wire.decode(text, MOST)
    assert str(bad.value)


def test_very_deep_nesting_is_refused() -> None:
    with pytest.raises(wire.BadMessage):
        wire.decode('{"t":"command","id":1,"command":' + "[" * 100_000, 1_000_000)


def test_the_id_is_named_when_it_can_be_made_out() -> None:
    with pytest.raises(wire.BadMessage) as bad:
        wire.decode('{"t":"command","id":41,"command":3}', MOST)
    assert bad.value.number == 41


def test_what_is_said_of_messages_is_said_of_messages_that_there_are() -> None:
    every = said.tags(said.Message)
    assert "hello" in said.tags(said.Watching)
    for union in (said.Watching, said.Answered, said.Pacing):
        assert said.tags(union) < every
    assert said.tags(said.Pacing) < said.tags(said.Watching)


def test_whoever_only_watches_may_change_the_pace() -> None:
    assert set(get_args(said.Pacing)) <= set(get_args(said.Watching)) <= set(get_args(said.Message))
