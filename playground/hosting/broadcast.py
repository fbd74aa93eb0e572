"""Frames and notices to everybody who watches one session."""

from __future__ import annotations

from playground.hosting.clients import Client
from playground.hosting.keeper import Keeper
from playground.hosting.pacer import Pacer
from playground.hosting.run import Frame, Run
from playground.messages import Message


class Broadcast:
    """Sends each reader what its window allows; what is the same for all is written once."""

    def __init__(self, clients: set[Client]) -> None:
        self._clients = clients
        self._last_s = 0.0

    def notice(self, level: str, message: Message) -> None:
        """Say something to everybody."""
        for client in tuple(self._clients):
            client.notice(level, message)

    def beat(self) -> None:
        """Send everybody a frame as soon as there is room, even if nothing happened: play or speed differ."""
        for client in self._clients:
            client.window.owe_pace()

    def owes(self, run: Run | None) -> bool:
        """Whether somebody should hear something soon."""
        if run is None:
            return False
        return bool(run.frame.counts) or any(client.window.waits for client in self._clients)

    async def flush(self, keeper: Keeper, pacer: Pacer, now_s: float, beat_s: float | None) -> None:
        """Send what has gathered; with `beat_s`, an empty frame too if the last one is that long ago."""
        run = keeper.awake
        beat_is_due = beat_s is not None and now_s - self._last_s >= beat_s
        if run is None or not (beat_is_due or self.owes(run)):
            return
        self._last_s = now_s
        frame = run.take_frame()
        answers = {client: client.window.answer(frame.counts, frame.fast) for client in self._clients}
        in_step = [client for client, answer in answers.items() if answer == "frame"]
        behind = [client for client, answer in answers.items() if answer == "snapshot"]
        through = frame.first + frame.counts.total()
        if in_step:
            text = await keeper.in_worker(run.encode_frame, frame, pacer.play, pacer.speed)
            for client in in_step:
                client.window.sent(through)
                client.send(text)
        if behind:
            state = await keeper.in_worker(run.encode_state)
            for client in behind:
                why, skipped = client.window.caught_up()
                client.window.sent(through, tells_pace=False)
                client.send(run.encode_snapshot(state, why, skipped))
                if client.window.pace_owed or why != "fast":
                    self.send_frame(client, Frame(through), run, pacer)

    def send_frame(self, client: Client, frame: Frame, run: Run, pacer: Pacer) -> None:
        """Send a frame to one reader."""
        client.window.sent(frame.first + frame.counts.total())
        client.send(run.encode_frame(frame, pacer.play, pacer.speed))
