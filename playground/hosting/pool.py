"""The workers of this server: started when they are needed, watched, and replaced when they are gone; and the server's
end of each: requests and answers, and messages that a worker sends unasked.

A process that has loaded the engine and has no session forks workers in milliseconds: loading the engine takes most
of a second of processor time, for which the sessions of a lost worker would have to wait. In tests they are threads.
"""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import logging
import os
import select
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any, Final, Protocol

from playground.hosting import link, protocol
from playground.hosting.pacer import FrameThrottle
from playground.hosting.protocol import WorkFailure
from playground.hosting.real_engine import EngineDoor

logger = logging.getLogger(__name__)


class WorkerFailed(Exception):
    """The called run failed and is gone; it was correct up to `good_us`."""

    def __init__(self, failure: WorkFailure, good_us: int, play: bool) -> None:
        super().__init__(f"{failure.kind}: {failure.code}")
        self.failure, self.good_us, self.play = failure, good_us, play


class CommandDeclined(Exception):
    """A request was refused, and nothing changed."""

    def __init__(self, refusal: protocol.CommandRefused) -> None:
        super().__init__(refusal.text or refusal.code)
        self.refusal = refusal


class WorkerLost(Exception):
    """The worker is gone. `excess`: as in `LinkListener.lost`."""

    def __init__(self, excess: protocol.Excess | None = None) -> None:
        super().__init__()
        self.excess = excess


class LinkListener(Protocol):
    """Takes a worker's messages about one session."""

    @property
    def plays(self) -> bool:
        """Whether time passes in it."""

    def take(self, message: Any) -> None:
        """Take a message; must not block."""

    def lost(self, excess: protocol.Excess | None) -> None:
        """Handle a lost worker. `excess`: of what this session took too much; None if the worker ended for another
        reason.
        """


class WorkerEnd(asyncio.Protocol):
    """See the module. `on_lost`: called once the worker is gone. `kill`: ends it at once. `on_command`: called for
    each answered command with the seconds that it took.
    """

    def __init__(
        self,
        on_lost: Callable[[WorkerEnd], None],
        kill: Callable[[], None],
        on_command: Callable[[float], None] = lambda took_s: None,
    ) -> None:
        self.listeners: dict[str, LinkListener] = {}
        self.kill = kill
        self.gone = False
        self.served = False
        """Whether it had sessions when it was lost."""
        self.silent_s = 0.0
        """How long since its last message it could have sent something."""
        self._on_lost = on_lost
        self._on_command = on_command
        self._commands: set[int] = set()
        """Calls that are commands."""
        self._calls: dict[int, asyncio.Future[dict[str, Any]]] = {}
        self._numbers = itertools.count(1)
        self._unpacker = link.MessageUnpacker(link.SERVER_END)
        self._held = bytearray()
        """Messages that go with the next one."""
        self._flushing: asyncio.Handle | None = None
        """The write that is due in the loop's next turn."""
        self._transport: asyncio.Transport | None = None
        self._stuck: protocol.RunStuck | None = None

    async def connect(self, end: socket.socket) -> WorkerEnd:
        await asyncio.get_running_loop().create_connection(lambda: self, sock=end)
        return self

    # --- to the worker ---

    def send(self, message: Any) -> None:
        """Send a message that is not answered, together with what others send in this turn of the loop."""
        self._held += link.SERVER_END.packed(message)
        if self._flushing is None:
            self._flushing = asyncio.get_running_loop().call_soon(self.flush)

    def send_with_next(self, message: Any) -> None:
        """Send a message together with the next one, or with `flush`, because nobody waits for it."""
        self._held += link.SERVER_END.packed(message)

    def flush(self) -> None:
        self._flushing = None
        if self._held and self._transport is not None and not self.gone:
            self._transport.write(bytes(self._held))
        self._held.clear()

    async def call(self, request: Callable[..., Any], session: str, **fields: Any) -> dict[str, Any]:
        """Send a request and return its answer. Raises `CommandDeclined`, `WorkerFailed` and `WorkerLost`."""
        if self.gone:
            raise WorkerLost
        number = next(self._numbers)
        answer: asyncio.Future[dict[str, Any]] = asyncio.get_running_loop().create_future()
        self._calls[number] = answer
        asked_s = time.monotonic()
        if request is protocol.SubmitCommand:
            self._commands.add(number)
        self.send(request(session=session, call=number, **fields))
        try:
            return await answer
        except WorkerLost:
            raise WorkerLost(self._excess(session)) from None
        finally:
            self._calls.pop(number, None)
            if number in self._commands:
                self._commands.remove(number)
                self._on_command(time.monotonic() - asked_s)

    @property
    def has_commands(self) -> bool:
        return bool(self._commands)

    def close(self) -> None:
        """End the connection at once, dropping unsent messages; the worker ends with it."""
        if self._transport is not None:
            self._transport.abort()

    # --- from the worker ---

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = transport  # type: ignore[assignment]  # a socket's transport can be written to

    def data_received(self, data: bytes) -> None:
        self.silent_s = 0.0
        for message in self._unpacker.feed(data):
            try:
                self._received(message)
            except Exception:  # one session's trouble must not end the connection of all
                logger.exception("a worker's message could not be taken: %.80r", message)

    def _received(self, message: Any) -> None:
        match message:
            case protocol.CallAnswer():
                self._settle(message.call, message.value)
            case protocol.CommandRefused():
                self._settle(message.call, CommandDeclined(message))
            case protocol.RunFailed() if message.call is not None:
                self._settle(message.call, WorkerFailed(message.failure, message.good_us, message.play))
            case protocol.RunStuck():
                self._stuck = message
            case protocol.WorkerPong():
                pass
            case _:
                listener = self.listeners.get(message.session)
                if listener is not None:
                    listener.take(message)

    def _settle(self, call: int, outcome: dict[str, Any] | Exception) -> None:
        answer = self._calls.get(call)
        if answer is None or answer.done():  # who asked may have stopped waiting
            return
        if isinstance(outcome, Exception):
            answer.set_exception(outcome)
        else:
            answer.set_result(outcome)

    def _excess(self, session: str) -> protocol.Excess | None:
        """Return of what a session took too much, if that ended the worker."""
        return self._stuck.excess if self._stuck and self._stuck.session == session else None

    def connection_lost(self, error: Exception | None) -> None:
        """Notify everybody who waits for it or listens to it."""
        self.gone = True
        self.served = bool(self.listeners)
        for answer in self._calls.values():
            if not answer.done():
                answer.set_exception(WorkerLost())
        for session, listener in tuple(self.listeners.items()):
            listener.lost(self._excess(session))
        self.listeners.clear()
        self._on_lost(self)


TICKS_PER_S: Final = os.sysconf("SC_CLK_TCK")
WAITS_FOR_A_PROCESSOR: Final = "R"


class WorkerHeartbeat:
    """Measures a worker's thread from outside, by the kernel's figures. `thread`: native id of the thread in it that
    answers.
    """

    def __init__(self, pid: int, thread: int) -> None:
        self._stat = Path(f"/proc/{pid}/task/{thread}/stat")
        self._worked_s = self._read_state()[1]

    def own_s(self, passed_s: float) -> float:
        """Return how much of the time since the last call the worker could use. While its thread waits for a
        processor, only its processor time counts, which is little on a busy machine. While it does not wait for one
        (stopped, or waiting for a disk), all time counts. `passed_s`: real time since the last call.
        """
        before_s = self._worked_s
        state, self._worked_s = self._read_state()
        if state != WAITS_FOR_A_PROCESSOR:
            return passed_s
        return min(passed_s, self._worked_s - before_s)

    def _read_state(self) -> tuple[str, float]:
        """Return the thread's state and its processor seconds; unknown without /proc."""
        try:
            fields = self._stat.read_text().rpartition(")")[2].split()
        except OSError:
            return "", 0.0
        return fields[0], (int(fields[11]) + int(fields[12])) / TICKS_PER_S


ROOT: Final = Path(__file__).resolve().parents[2]
ENDS_S: Final = 3.0
"""How long workers may take to end."""
PING_S: Final = 5.0
FEEL_S: Final = 0.2
"""Time between two measurements of how late this server's loop is."""
PAGE_S: Final = 0.5
"""Acceptable wait for a page, since a browser's simultaneous requests are answered in turn."""
COMMANDS_LATE_S: Final = 0.03
"""Average delay of commands above which the server pauses after pages."""
SILENT_S: Final = 30.0
"""The server kills a worker that could have answered for this long and did not; if it can, it ends by itself before."""


class StartedProcess(Protocol):
    """A worker that was started."""

    pulse: WorkerHeartbeat
    """Measures whether its silence is its own fault or a lack of processor time."""

    def kill(self) -> None:
        """End it at once."""

    def wait(self) -> object:
        """Return when it has ended."""


Launch = Callable[[], tuple[socket.socket, StartedProcess]]
"""Starts a worker; returns the server's end of the socket to it as well."""


class WorkerProcess:
    """A worker in a process of its own: see `StartedProcess`."""

    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        self.pulse = WorkerHeartbeat(process.pid, process.pid)  # the first thread of a process has its number
        self.kill = process.kill
        self.wait = process.wait


WORKER: Final = "playground.hosting.worker"


def _begun(
    program: str, end: socket.socket, environment: dict[str, str], *arguments: str
) -> subprocess.Popen[bytes]:
    """Begin a module that takes the number of a socket, which this process closes, as a process."""
    number = end.fileno()
    with end:
        return subprocess.Popen(  # noqa: S603 - this very interpreter
            [sys.executable, "-m", program, str(number), *arguments],
            cwd=ROOT,
            pass_fds=[number],
            stdin=subprocess.DEVNULL,
            process_group=0,  # Ctrl-C is for the server, whose end a worker notices
            env={**os.environ, **environment},
        )


def process(
    environment: dict[str, str] | None = None, program: str = WORKER
) -> tuple[socket.socket, StartedProcess]:
    """Start a worker, or another module that takes the number of a socket, as a process."""
    ours, theirs = socket.socketpair()
    return ours, WorkerProcess(_begun(program, theirs, environment or {}))


class ComingWorker:
    """A worker that is being started, and how many sessions wait for it. `start`: returns its end. Raises WorkerLost
    where it cannot be started.
    """

    def __init__(self, start: Coroutine[Any, Any, WorkerEnd]) -> None:
        self.task = asyncio.create_task(start)
        self.task.add_done_callback(_heard)
        self.waiting = 0


def _heard(task: asyncio.Task[WorkerEnd]) -> None:
    """Note the result of a start, even if nobody waits for it any more."""
    if not task.cancelled():
        task.exception()


class WorkerPool:
    """Gives each session a worker. A worker that is lost is replaced at once, not when a session asks for one.
    `count`: most workers with sessions at the same time. `begin`: the first message to each worker.
    """

    def __init__(self, count: int, launch: Launch, begin: protocol.BeginWorker) -> None:
        self._count = count
        self._launch = launch
        self._begin = begin
        self._coming: list[ComingWorker] = []
        self._ended = False
        self.ends: list[WorkerEnd] = []
        self._started: dict[WorkerEnd, StartedProcess] = {}
        self._waiting: set[asyncio.Future[Any]] = set()
        self._ease = FrameThrottle()
        self.pressure = FrameThrottle(COMMANDS_LATE_S, COMMANDS_LATE_S / 2)
        """How late commands are; the factor by which other work becomes rarer."""
        self.others_late_s: Callable[[], float] = lambda: 0.0
        """How late pages are, in seconds; set by the page scheduler."""
        self._tasks: list[asyncio.Task[None]] = []

    async def begin(self) -> None:
        """Start a first worker ahead, so that no visitor waits for it."""
        if not self.ends:
            with contextlib.suppress(WorkerLost):  # whoever needs it gets the error
                await asyncio.shield((self._coming[0] if self._coming else self._come()).task)

    async def place(self, session_id: str, listener: LinkListener) -> WorkerEnd:
        """Return a worker with few sessions for a new session. Raises WorkerLost: no worker can be started."""
        end = await self._least()
        if end.gone:
            raise WorkerLost
        end.listeners[session_id] = listener
        return end

    async def _least(self) -> WorkerEnd:
        """Return the worker with the fewest sessions, waiting ones included; start one if there is room."""
        there = min(self.ends, key=lambda end: len(end.listeners), default=None)
        if (there is None or there.listeners) and len(self.ends) + len(self._coming) < self._count:
            self._come()
        coming = min(self._coming, key=lambda each: each.waiting, default=None)
        if coming is None or (there is not None and len(there.listeners) <= coming.waiting):
            if there is None:
                raise WorkerLost
            return there
        coming.waiting += 1
        try:
            return await asyncio.shield(coming.task)
        finally:
            coming.waiting -= 1

    def _come(self) -> ComingWorker:
        coming = ComingWorker(self._start())
        self._coming.append(coming)
        coming.task.add_done_callback(lambda _task: self._coming.remove(coming))
        return coming

    async def _start(self) -> WorkerEnd:
        try:
            ours, started = await asyncio.get_running_loop().run_in_executor(None, self._launch)
        except OSError as error:
            logger.exception("no worker can be started")
            raise WorkerLost from error
        end = await WorkerEnd(self._forget, started.kill, self._command_took).connect(ours)
        self._started[end] = started
        end.send(self._begin)
        end.send(protocol.FrameSpacing(self._ease.factor))
        if not self._tasks:
            self._tasks = [asyncio.create_task(each) for each in (self._supervise(), self._keep_up())]
        if not end.gone:
            self.ends.append(end)
        return end

    def _command_took(self, seconds: float) -> None:
        self.pressure.late(asyncio.get_running_loop().time(), seconds)

    def _forget(self, end: WorkerEnd) -> None:
        if end in self.ends:
            self.ends.remove(end)
            logger.warning("a worker is gone")
            if end.served and not self._ended:
                self._come()  # those whose run is gone will ask for one in a moment
        # Somebody must ask for the exit status, or the process stays in the system's table.
        waiting = asyncio.get_running_loop().run_in_executor(None, self._started.pop(end).wait)
        self._waiting.add(waiting)
        waiting.add_done_callback(self._waiting.discard)

    async def _supervise(self) -> None:
        """Ping every worker, and kill those that do not answer although they could."""
        while True:
            await asyncio.sleep(PING_S)
            for end in tuple(self.ends):
                # However late this loop itself is, it counts no more than it wanted to wait.
                end.silent_s += self._started[end].pulse.own_s(PING_S)
                if end.silent_s > SILENT_S:
                    logger.error("a worker does not answer: it is killed")
                    end.kill()
                else:
                    end.send(protocol.WorkerPing())

    async def _keep_up(self) -> None:
        """Let the workers make fewer frames while this loop or pages are late, because answers would be late too."""
        loop = asyncio.get_running_loop()
        while True:
            wanted_s = loop.time() + FEEL_S
            await asyncio.sleep(FEEL_S)
            if not any(end.has_commands for end in self.ends):
                self.pressure.late(loop.time(), 0.0)
            before = self._ease.factor
            late_s = max(loop.time() - wanted_s, self.others_late_s() - PAGE_S)
            self._ease.late(loop.time(), late_s)
            if self._ease.factor != before:
                for end in self.ends:
                    end.send(protocol.FrameSpacing(self._ease.factor))
            for end in self.ends:
                end.flush()

    async def end(self) -> None:
        tasks, self._tasks = self._tasks, []
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        self._ended = True
        for coming in tuple(self._coming):
            with contextlib.suppress(WorkerLost):
                await coming.task
        ends, self.ends = self.ends, []
        started = [self._started[end] for end in ends]
        for end in ends:
            end.close()
        if not await self._have_ended(started):
            for each in started:
                each.kill()
            await self._have_ended(started)

    async def _have_ended(self, started: list[StartedProcess]) -> bool:
        """Wait for these workers and for lost ones to end; return whether all have."""
        loop = asyncio.get_running_loop()
        waiting = {*self._waiting, *(loop.run_in_executor(None, each.wait) for each in started)}
        if not waiting:
            return True
        _ended, still = await asyncio.wait(waiting, timeout=ENDS_S)
        return not still

    def stop(self) -> None:
        """End all workers at once, without a loop."""
        for started in self._started.values():
            started.kill()
            started.wait()
        self.ends, self._started = [], {}


CAN_FORK: Final = hasattr(os, "pidfd_open")
"""Whether the kernel has lasting handles of processes, as Linux has; elsewhere each worker loads the engine itself."""
ANSWERS_S: Final = 120.0
"""Longest wait for its answer; a new one first loads the engine, perhaps on a busy machine."""
MORE: Final = {"OPENBLAS_NUM_THREADS": "1"}
"""Environment that keeps numpy single-threaded, because only a process with a single thread may be forked."""


class ForkedWorker:
    """A forked worker; see `StartedProcess`. `handle`: the kernel's lasting handle of that process (a pidfd)."""

    def __init__(self, pid: int, handle: int) -> None:
        self.pulse = WorkerHeartbeat(pid, pid)
        self._handle = handle

    def kill(self) -> None:
        with contextlib.suppress(ProcessLookupError):
            signal.pidfd_send_signal(self._handle, signal.SIGKILL)

    def wait(self) -> None:
        ended = select.poll()
        ended.register(self._handle, select.POLLIN)
        ended.poll()


class WorkerFactory:
    """Starts workers through a process that forks them. That process starts with the first worker, and again if it is
    gone. `program`: the module that forks itself, which decides what its processes do.
    """

    def __init__(self, program: str = WORKER) -> None:
        self._program = program
        self._one_at_a_time = threading.Lock()
        self._process: subprocess.Popen[bytes] | None = None
        self._ours: socket.socket | None = None

    def __call__(self) -> tuple[socket.socket, StartedProcess]:
        """Start a worker. Returns the server's end of the socket to it, and its process. Raises OSError: the system
        has no room for it.
        """
        with self._one_at_a_time:
            try:
                return self._one()
            except OSError:  # it was lost with those that it had forked
                self.end()
                return self._one()

    def _one(self) -> tuple[socket.socket, StartedProcess]:
        """Fork a worker at the other end of a new socket; if this fails, a worker that was still forked ends."""
        ours, theirs = socket.socketpair()
        with theirs:
            try:
                return ours, self._fork(theirs)
            except OSError:
                ours.close()
                raise

    def _fork(self, theirs: socket.socket) -> ForkedWorker:
        ours = self._ours or self._begin()
        socket.send_fds(ours, [link.ONE_MORE], [theirs.fileno()])
        answer, handles, _flags, _address = socket.recv_fds(ours, link.NUMBER_BYTES, 1)
        if not handles:
            raise OSError(int.from_bytes(answer), "no worker can be forked")
        return ForkedWorker(int.from_bytes(answer), handles[0])

    def _begin(self) -> socket.socket:
        self._ours, theirs = socket.socketpair()
        self._ours.settimeout(ANSWERS_S)
        self._process = _begun(self._program, theirs, MORE, link.FORKS)
        return self._ours

    def end(self) -> None:
        """Drop a process that does not answer or is no longer needed."""
        if self._ours is not None:
            self._ours.close()
            self._ours = None
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            self._process = None


class InThread:
    """Starts workers as threads of this process. `door`: makes the engines."""

    def __init__(self, door: EngineDoor) -> None:
        self._door = door

    def __call__(self) -> tuple[socket.socket, StartedProcess]:
        from playground.hosting.link import ProcessLink  # noqa: PLC0415 - a server has no engines otherwise
        from playground.hosting.worker import EngineWorker  # noqa: PLC0415

        ours, theirs = socket.socketpair()
        worker = EngineWorker(ProcessLink(theirs), self._door)
        thread = threading.Thread(target=worker.serve, name="engines", daemon=True)
        thread.start()
        return ours, _Thread(thread, theirs)


class _Thread:
    """See `StartedProcess`."""

    def __init__(self, thread: threading.Thread, end: socket.socket) -> None:
        self.pulse = WorkerHeartbeat(os.getpid(), thread.native_id or 0)
        self._thread = thread
        self._end = end

    def kill(self) -> None:
        """Take its socket away; it ends after its turn."""
        with contextlib.suppress(OSError):
            self._end.shutdown(socket.SHUT_RDWR)

    def wait(self) -> None:
        self._thread.join(ENDS_S)
