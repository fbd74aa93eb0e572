"""The player: however a run is cut, it is the same run; it stops where it is asked to."""

from __future__ import annotations

import pickle
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.replay import PlayedPiece, RunPlayer, RunTally, on_ledger
from engine.replay.player import KEEP_EVENTS, ROWS_IN_A_FRAME, PlayedFrame, Timed
from engine.values.errors import CommandError, RunTooLong
from tests.layering.sources import ROOT, imports, module_name, parse, within

BLANK: dict[str, Any] = {"version": 1, "profile": "classroom"}
COMMANDS: list[Timed] = [
    (100_000, {"do": "publish", "count": 40, "size_bytes": 6144, "persistent": True}),
    (100_000, {"do": "set", "name": "target_ram_count", "value": 5}),
    (900_000, {"do": "set_consumer", "name": "c", "rate_per_s": 40, "prefetch": 5, "ack": "each"}),
]
END_US = 2_000_000


def player(**options: Any) -> RunPlayer:
    return RunPlayer(on_ledger(BLANK, KEEP_EVENTS), COMMANDS, **options)


def straight() -> Any:
    """Play without the player, as the engine documents it."""
    node = on_ledger(BLANK, KEEP_EVENTS)
    for at_us, command in COMMANDS:
        node.advance(at_us)
        node.submit(command)
    node.advance(END_US)
    return node


def joined(pieces: list[PlayedPiece]) -> list[tuple[int, Any]]:
    """Return all rows; they must follow each other without a hole."""
    rows: list[tuple[int, Any]] = []
    for piece in pieces:
        assert piece.first == len(rows)
        rows += zip(piece.at_us, piece.rows, strict=True)
    return rows


@settings(max_examples=25, deadline=None, derandomize=True)
@given(
    st.lists(st.integers(0, END_US), max_size=6).map(sorted), st.sampled_from([1, 7, 400]), st.integers(1, 30)
)
def test_a_run_is_the_same_however_it_is_cut(stops: list[int], slice_: int, left_after: int) -> None:
    one = player()
    pieces: list[PlayedPiece] = []
    for until_us in [*stops, END_US]:
        last = False
        while not last:  # leave the pieces now and then, and come back for the rest
            for _each, piece in zip(range(left_after), one.play(until_us, slice_), strict=False):
                pieces.append(piece)
                last = piece.last
        assert one.node.now_us == until_us
    whole = straight()
    assert joined(pieces) == list(zip(whole.log.since(0).at_us, whole.log.since(0).rows, strict=True))
    assert one.node.log.digest == whole.log.digest
    assert one.given == len(COMMANDS)


def test_it_stops_at_a_condition() -> None:
    one = player()
    for piece in one.play(END_US, 1):
        if any(type(row).__name__ == "AlphasPushed" for row in piece.rows):
            break
    assert one.node.log.number == piece.first + piece.count
    assert one.node.now_us == 100_000
    one.finish(END_US)
    assert one.node.log.digest == straight().log.digest


@pytest.mark.parametrize("number", [1, 30, 31, 32, 60])
def test_it_stops_at_a_transition(number: int) -> None:
    one = player()
    pieces = list(one.play_to(number, END_US))
    assert pieces[-1].last
    assert one.node.log.number == max(number, on_ledger(BLANK).log.number)
    assert joined(pieces) == joined([straight_piece()])[: one.node.log.number]


def straight_piece() -> PlayedPiece:
    rows = straight().log.since(0)
    return PlayedPiece(0, rows.at_us, rows.rows)


def test_a_number_that_never_comes_is_played_to_the_end() -> None:
    one = player()
    assert list(one.play_to(10**6, END_US))[-1].last
    assert one.node.now_us == END_US


def test_it_goes_on_from_a_checkpoint() -> None:
    one = player()
    one.finish(500_000)
    node = pickle.loads(pickle.dumps(one.node))
    again = RunPlayer(node, COMMANDS[one.given :], first=node.log.number)
    pieces = list(again.play_all(END_US))
    assert pieces[0].first == one.node.log.number
    assert node.log.digest == straight().log.digest


def test_a_command_after_the_end_is_given_all_the_same_where_all_are_wanted() -> None:
    one = player()
    assert [piece.last for piece in one.play_all(500_000)].count(True) == 1
    assert (one.given, one.node.now_us) == (3, 900_000)


def test_bounds() -> None:
    for options, bound in (({"most": 20}, "transitions"), ({"give_up": lambda: True}, "time")):
        with pytest.raises(RunTooLong) as caught:
            player(**options).finish(END_US)
        assert caught.value.bound == bound


def test_an_event_larger_than_the_log() -> None:
    bursts = [(0, {"do": "publish", "count": 1, "size_bytes": 9}) for _each in range(600)]
    scripted = {**BLANK, "commands": [{"at_us": at_us, **command} for at_us, command in bursts]}
    one = RunPlayer(on_ledger(scripted, keep=1), whole=True)
    with pytest.raises(RunTooLong) as caught:
        list(one.play(END_US, 5000))
    assert caught.value.bound == "event"
    frame = PlayedFrame(0)
    for piece in RunPlayer(on_ledger(scripted, keep=1)).play(END_US, 5000):
        frame.add(piece)
    assert frame.fast
    assert frame.counts["more"] > ROWS_IN_A_FRAME


def test_a_refused_command_is_passed_over_or_raised() -> None:
    wrong: list[Timed] = [
        (0, {"do": "explode"}),
        (10, {"do": "publish", "count": 2, "size_bytes": 1}),
    ]
    one = RunPlayer(on_ledger(BLANK), wrong, lenient=True)
    tally = RunTally()
    for piece in one.play(1000):
        tally.add(piece)
    assert [at_us for at_us, _error in one.refused] == [0]
    assert tally.moved["Published"] == 2
    with pytest.raises(CommandError):
        RunPlayer(on_ledger(BLANK), wrong).finish(1000)


PLAIN = (
    "engine.replay",
    "playground.hosting.run",
    "playground.hosting.pacer",
)
"""What paces and frames a session; a browser runs the same."""


def test_what_paces_and_frames_a_session_knows_neither_django_nor_asyncio() -> None:
    waiting, seen = [*PLAIN, "engine.replay.player"], set()
    while waiting:
        module = waiting.pop()
        path = ROOT / module.replace(".", "/")
        path = path / "__init__.py" if path.is_dir() else path.with_suffix(".py")
        if module in seen or not path.exists():
            continue
        seen.add(module)
        for imported, _line in imports(parse(path), module_name(path), path.name == "__init__.py"):
            assert not within(imported, "django", "channels", "asyncio", "asgiref"), (
                f"{module} imports {imported}"
            )
            if within(imported, "engine", "playground"):
                waiting += [imported, imported.rpartition(".")[0]]
    assert "playground.hosting.run" in seen
