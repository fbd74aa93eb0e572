"""The server: daphne with compressed sockets. `python -m playground.server.serve` takes daphne's options.

Rows and states are JSON in which everything repeats; over a slow line a compressed session needs a fraction of the
bytes. Browsers offer it by themselves (RFC 7692) and expand it before any script reads it.
"""

from __future__ import annotations

import asyncio
import contextlib
import ctypes
import gc
import logging
import os
import resource
import sys
import threading
import time
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any, Final

from autobahn.websocket.compress import PerMessageDeflateOffer, PerMessageDeflateOfferAccept
from daphne.cli import CommandLineInterface
from daphne.server import Server
from daphne.ws_protocol import WebSocketProtocol
from django.core.management import call_command
from django.db import close_old_connections
from twisted.internet import reactor
from twisted.internet.defer import Deferred
from twisted.internet.tcp import Connection

from playground import environment
from playground.hosting.link import NEW_OBJECTS
from playground.limits.request_callers import AT_ONCE, LastHop, without_addresses

if TYPE_CHECKING:
    from playground.jobs.pool import OwnProcesses


SMALL_BYTES: Final = 64
"""A message that is shorter goes out as it is: compressing it takes longer than sending it."""


class DirectSocket(WebSocketProtocol):
    """Daphne's socket with a short way out. What the connection does not take waits where it always did."""

    leave: Callable[[], None] | None = None
    """Is called when the connection is gone: whoever let it in counts it."""
    closed = 0
    """How many have closed since memory was last collected."""

    def connectionLost(self, reason: Any) -> None:  # noqa: N802 - twisted's name
        DirectSocket.closed += 1
        if self.leave is not None:
            self.leave()
            self.leave = None
        super().connectionLost(reason)

    def sendMessage(self, payload: bytes, *arguments: Any, **named: Any) -> None:  # noqa: N802 - autobahn's name
        """Send a message, compressed if that is worth it."""
        if len(payload) < SMALL_BYTES:
            named["doNotCompress"] = True
        super().sendMessage(payload, *arguments, **named)

    def sendData(self, data: bytes, *arguments: Any, **named: Any) -> None:  # noqa: N802 - autobahn's name
        """Write bytes: at once where nothing waits before them."""
        sent = 0 if self.send_queue else write_at_once(self.transport, data)
        if sent < len(data):
            super().sendData(data[sent:], *arguments, **named)

    def send_at_once(self, text: bytes) -> bool:
        """Send a text now, if the socket is open; return whether it was sent."""
        if self.state != self.STATE_OPEN:
            return False
        self.sendMessage(text)
        return True

    def dataReceived(self, data: bytes) -> None:  # noqa: N802 - twisted's name
        self._dataReceived(data)


def write_at_once(transport: Any, data: bytes) -> int:
    """Return how many bytes a plain connection took at once: none where others wait before them, or it is ending."""
    if not isinstance(transport, Connection) or transport.TLS or not transport.connected:
        return 0
    waits = transport.dataBuffer or transport._tempDataBuffer  # noqa: SLF001 - twisted has no other name for it
    if waits or transport.disconnecting:
        return 0
    sent = transport.writeSomeData(data)
    return sent if isinstance(sent, int) else 0  # lost: the usual way finds that out as well


logger = logging.getLogger(__name__)

WANTED: Final = 65_536
"""Where the system sets no bound of its own, or says that there is none and means another one."""
FEW: Final = 4_096
"""With fewer, one address can take a good part of them."""


def raise_to_most() -> int:
    """Raise the soft limit of open handles to the hard one; return how many there are now."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    for most in (hard, WANTED, 10_240):
        if most == resource.RLIM_INFINITY:
            continue
        if soft != resource.RLIM_INFINITY and soft < most:
            with contextlib.suppress(ValueError, OSError):  # macOS takes less than it names as its hard limit
                resource.setrlimit(resource.RLIMIT_NOFILE, (most, hard))
                soft = most
                break
    count = WANTED if soft == resource.RLIM_INFINITY else soft
    if count < FEW:
        logger.warning(
            "this server may have %s files and connections open; let it have %s (ulimit -n)", count, FEW
        )
    return count


FIRST_S: Final = 300.0
AGAIN_S: Final = 6 * 3600.0
TRIM_S: Final = 5.0
"""Between two returns of memory, each of which took 0.2 to 12 ms."""
COLLECTED: Final = 200
"""So many closed sockets are worth a search for what refers to itself, which holds up every thread."""
CHORES: Final = ("clean_sessions", "purge_classes", "lti_scores")
"""Commands of manage.py, which say what they deleted."""


def tidy() -> None:
    """Do every chore; one that fails keeps none of the others from being done."""
    for chore in CHORES:
        try:
            call_command(chore)
        except Exception:
            logger.exception("%s failed", chore)
        finally:
            close_old_connections()


def begin(sleep: Callable[[float], None] = time.sleep) -> threading.Thread:
    """Tidy in a thread of its own for as long as this process lives."""

    def work() -> None:
        sleep(FIRST_S)
        while True:
            tidy()
            sleep(AGAIN_S)

    thread = threading.Thread(target=work, name="tidying", daemon=True)
    thread.start()
    return thread


def trim_memory(sleep: Callable[[float], None] = time.sleep) -> None:
    """Return freed memory to the system again and again: glibc keeps what thousands of sockets had."""
    trim = getattr(ctypes.CDLL(None), "malloc_trim", None)  # other C libraries have none
    while trim is not None:
        sleep(TRIM_S)
        if DirectSocket.closed >= COLLECTED:
            DirectSocket.closed = 0
            gc.collect()
        trim(0)


WINDOW_BITS = 13
"""8 KiB of earlier messages, to which compression refers: little memory for each socket, nearly all of the gain."""
MEMORY_LEVEL = 6
OWN_FILES = 0o077
"""What this server writes, its workers too, is read by its own user only: the mask of the bits that are not given."""
SWITCH_S = 0.0001
"""How long a thread that makes a page may go on while the event loop wants to: what is sent is not late by more."""
UNSEEN = 4_096
"""Connections that may wait to be accepted: a whole school sends its answers at once, and what does not fit the
system tries again after a second, or is reset. Twisted's own number is 50.
"""
RESTS_S = 5.0
"""How long sessions may take to rest when the server ends."""
GONE_S = 8.0
"""How long the server may take to end, whatever its threads do."""
LET_IN_S = 20
"""In which a socket must be let in; daphne's five seconds end in the middle of a class that arrives at once."""
MOST_RECEIVED_BYTES = 1024 * 1024
"""A message that expands to more is refused before it is expanded: as daphne does with plain ones."""


def accept(offers: Iterable[Any]) -> PerMessageDeflateOfferAccept | None:
    """Return how a client's offer to compress is taken, None when it makes none that is known."""
    for offer in offers:
        if isinstance(offer, PerMessageDeflateOffer):
            return PerMessageDeflateOfferAccept(  # type: ignore[no-untyped-call]
                offer, window_bits=WINDOW_BITS, mem_level=MEMORY_LEVEL, max_message_size=MOST_RECEIVED_BYTES
            )
    return None


class CompressingServer(Server):
    """Daphne's server with compression, the true address of visitors, and none in its log; it has no options for
    that. With `--proxy-headers` daphne believes the first address of X-Forwarded-For, which every visitor can write.
    """

    def __init__(self, application: Any, *args: Any, action_logger: Any = None, **options: Any) -> None:
        self.proxies = 0
        if options.get("proxy_forwarded_address_header"):
            self.proxies = environment.integer("WATERLINE_PROXIES", 1) or 1
            application = LastHop(application, self.proxies)
        for wait in ("websocket_connect_timeout", "websocket_handshake_timeout"):
            options[wait] = max(LET_IN_S, options.get(wait, 0))
        super().__init__(application, *args, action_logger=without_addresses(action_logger), **options)

    def create_application(self, protocol: Any, scope: dict[str, Any]) -> Any:
        """Make what answers a request or a socket; a socket's may send without a turn of the loop for each text."""
        if isinstance(protocol, DirectSocket):
            scope[AT_ONCE] = protocol.send_at_once
        return super().create_application(protocol, scope)

    def listen_success(self, port: Any) -> None:
        """Begin to listen: only now are there factories to set up."""
        from playground.server.request_intake import RequestIntake  # noqa: PLC0415 - needs the apps to be ready

        self.http_factory.buildProtocol = RequestIntake(self, raise_to_most(), self.proxies).protocol_for
        self.ws_factory.protocol = DirectSocket
        self.ws_factory.setProtocolOptions(perMessageCompressionAccept=accept)
        from playground.jobs.pool import OwnProcesses  # noqa: PLC0415
        from playground.limits import session_limits  # noqa: PLC0415 - needs the apps to be ready

        begin()
        threading.Thread(target=trim_memory, name="trimming", daemon=True).start()
        if session_limits.current().workers:
            _processes.append(OwnProcesses())
        reactor.addSystemEventTrigger("before", "shutdown", rest_all)  # type: ignore[arg-type]  # the reactor is made on import
        reactor.callWhenRunning(_converse)
        sys.setswitchinterval(SWITCH_S)
        # What is there by now stays. Walking through it for what can be removed takes 0.4 s, again and again.
        gc.collect()
        gc.freeze()
        gc.set_threshold(*NEW_OBJECTS)
        port.socket.listen(UNSEEN)
        super().listen_success(port)


_conversations: list[asyncio.Future[None]] = []
_processes: list[OwnProcesses] = []
"""Of jobs; none where engines run in threads."""


def _converse() -> None:
    """Begin to receive what other processes send, and have a worker and a process for jobs ready."""
    from playground.sessions import cluster_control  # noqa: PLC0415 - needs the apps to be ready

    _conversations.append(asyncio.ensure_future(cluster_control.run()))
    _conversations.append(asyncio.ensure_future(_start_worker()))
    for each in _processes:
        _conversations.append(asyncio.ensure_future(asyncio.to_thread(each.pool.begin)))


async def _start_worker() -> None:
    """Start a worker before the first visitor needs it. If it cannot start, whoever needs one gets the reason."""
    from playground.sessions import live_hosts  # noqa: PLC0415 - needs the apps to be ready

    with contextlib.suppress(OSError):
        await live_hosts.registry().pool.begin()


def rest_all() -> Deferred[None]:
    """Suspend all sessions and end their workers before the server ends; sessions that take too long are on
    record. Jobs end at once. The server exits after `GONE_S`, even if threads are still busy.
    """
    last = threading.Timer(GONE_S, _leave)
    last.daemon = True
    last.start()
    for each in _processes:
        each.end()

    async def rest() -> None:
        from playground.sessions import live_hosts  # noqa: PLC0415 - needs the apps to be ready

        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(live_hosts.end(), RESTS_S)
        # A task that is left waiting when the interpreter ends may crash it (CPython 3.11 closes it too late).
        left = asyncio.all_tasks() - {asyncio.current_task()}
        for task in left:
            task.cancel()
        if left:
            await asyncio.wait(left, timeout=1)

    return Deferred.fromFuture(asyncio.ensure_future(rest()))


def _leave() -> None:
    """Exit without the interpreter's end, which waits for threads; what that end would remove is removed first."""
    from playground.sessions import live_hosts  # noqa: PLC0415 - needs the apps to be ready

    try:
        live_hosts.stop()
    finally:
        os._exit(0)


class CommandLine(CommandLineInterface):
    """Daphne's command line, for this server."""

    server_class = CompressingServer


if __name__ == "__main__":
    os.umask(OWN_FILES)
    CommandLine.entrypoint()
