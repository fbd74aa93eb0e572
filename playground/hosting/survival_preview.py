"""What a stop would leave of a session now: the run is repeated on a ledger, and the repetition is stopped."""

from __future__ import annotations

import time
from typing import Final, Literal, get_args

from engine.replay import RunPlayer
from engine.replay.frames import encode
from engine.replay.player import KEEP_EVENTS
from engine.replay.survival import foresee
from playground.hosting.engine_api import NodeDoor
from playground.hosting.file_records import NotThere
from playground.hosting.session_record import RecordedSession

Kind = Literal["clean", "kill", "power"]
KINDS: Final = get_args(Kind)


def fates_of(door: NodeDoor, past_s: float, kind: Kind, record: RecordedSession) -> tuple[bytes, int]:
    """Return the fate of each queue's messages as JSON, see `engine.replay.survival.Fate`, and of how many commands.

    Args:
        door: makes the node.
        past_s: longest time of the repetition.
        kind: of stop.
        record: of the session, with the time that the run has reached.

    Raises:
        NotThere: "too_long" when repeating the run takes too long.
    """
    player = RunPlayer(door.rehearse(record.scenario, KEEP_EVENTS), record.commands)
    deadline_s = time.monotonic() + past_s
    for piece in player.play(record.reached_us):
        if not piece.last and time.monotonic() > deadline_s:
            raise NotThere("too_long")
    return encode(foresee(player, kind)), player.given
