"""What a stop would leave of a session now: the run is repeated on a ledger, and the repetition is stopped."""

from __future__ import annotations

from typing import Final, Literal, get_args

from engine.replay import Player
from engine.replay.frames import encode
from engine.replay.player import KEEP_EVENTS
from engine.replay.survival import foresee
from playground.hosting.answers import Answers
from playground.hosting.book import Remembered
from playground.hosting.breath import Breath
from playground.hosting.door import NodeDoor
from playground.hosting.places import NotThere
from playground.limits import Limits

Kind = Literal["clean", "kill", "power"]
KINDS: Final = get_args(Kind)
KEPT: Final = 16


class Foresight:
    """Asks repetitions of runs.

    Args:
        door: makes the nodes.
        limits: `past_s` bounds the time of a repetition.
    """

    def __init__(self, door: NodeDoor, limits: Limits) -> None:
        self._door = door
        self._limits = limits
        self._answers = Answers(KEPT)

    def known(self, session_id: str, kind: str, record: Remembered) -> bytes | None:
        """Return an answer that is kept and still true."""
        return self._answers.find((session_id, kind, record.reached_us, len(record.commands)), record)

    def fates_of(self, session_id: str, kind: str, record: Remembered) -> bytes:
        """Return the fate of each queue's messages as JSON, see `engine.replay.survival.Fate`.

        Args:
            session_id: whose run it is.
            kind: one of KINDS.
            record: of the session, with the time that the run has reached.

        Raises:
            NotThere: "too_long" when repeating the run takes too long.
        """
        player = Player(self._door.rehearse(record.scenario, KEEP_EVENTS), record.commands)
        breath = Breath(self._limits.past_s)
        for piece in player.play(record.reached_us):
            if not piece.last and breath.is_over():
                raise NotThere("too_long")
        answer = encode(foresee(player, kind))
        key = session_id, kind, record.reached_us, len(record.commands)
        return self._answers.keep(key, record.commands[: player.given], answer)
