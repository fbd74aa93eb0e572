"""The sockets of our own pages, and that of a session: reads a browser's messages, checks rights, asks the host."""

from __future__ import annotations

import asyncio
import contextlib
import json
import logging
import time
from functools import cache
from typing import Any, Final
from urllib.parse import urlsplit

import msgspec
from channels.consumer import get_handler_name
from channels.db import database_sync_to_async
from channels.exceptions import StopConsumer
from channels.generic.websocket import AsyncWebsocketConsumer
from channels.security.websocket import WebsocketDenier
from django.conf import settings
from django.db import Error as DatabaseError
from django.http.request import split_domain_port, validate_host
from django.utils.translation import gettext_lazy as _

from engine.broker.commands.settings import release_of
from engine.ctl.releases import FACTS, USAGES, ReleaseFacts
from engine.ctl.stands_for import STANDS_FOR
from playground.hosting import protocol
from playground.hosting.audience import SessionClient
from playground.hosting.host import ServerFull, SessionHost, TooManyWatchers
from playground.hosting.refusals import message_of
from playground.limits import request_callers, session_limits
from playground.limits.rate_limits import HeldQuotas, RateBucket
from playground.limits.request_callers import RequestCaller
from playground.records import kept_runs, paused_sessions, session_leases
from playground.sessions import live_hosts
from playground.texts import PageMessage, RequestRefused, language_of

logger = logging.getLogger(__name__)

STRAIGHT: Final = "straight"
"""In a socket's scope: sends past what is between, which asks at each message whether a cookie has changed."""
DEFAULT_PORTS = {"http": 80, "https": 443}


def is_ours(origin: str, host: str) -> bool:
    """Return whether a page of this origin may open a socket at this host, by the rule that Django has for forms.
    `origin`: the header, such as `https://waterline.example:8443`. `host`: the header of the same request, with its
    port if there is one.
    """
    if origin in settings.CSRF_TRUSTED_ORIGINS:
        return True
    try:
        page, asked = urlsplit(origin), urlsplit(f"//{host}")
        page_port, asked_port = page.port, asked.port
    except ValueError:
        return False
    usual = DEFAULT_PORTS.get(page.scheme)
    if (
        usual is None
        or not page.hostname
        or not validate_host(split_domain_port(host)[0], settings.ALLOWED_HOSTS)
    ):
        return False
    return page.hostname == asked.hostname and (page_port or usual) == (asked_port or usual)


class OwnOrigins:
    """Lets the sockets of our own pages through to `application`, and refuses all others."""

    def __init__(self, application: Any) -> None:
        self._application = application

    async def __call__(self, scope: Any, receive: Any, send: Any) -> Any:
        headers = {name: value.decode("latin1") for name, value in scope.get("headers", [])}
        ours = is_ours(headers.get(b"origin", ""), headers.get(b"host", ""))
        application = self._application if ours else WebsocketDenier()
        return await application({**scope, STRAIGHT: send}, receive, send)


TRY_AGAIN = 4012
"""WebSocket's own code for this, 1012, is only for the protocol itself: autobahn sends 1000 and 3000 to 4999."""


class SocketConsumer(AsyncWebsocketConsumer):
    """A socket's side on the server."""

    async def dispatch(self, message: dict[str, Any]) -> None:
        """Handle what the server reports of this socket. Channels asks a thread before each message whether a
        connection to the database is too old. Nothing here keeps one; and all sockets share that thread, so that a
        class that arrives at once waits in it to be let in.
        """
        await getattr(self, get_handler_name(message))(message)

    async def websocket_connect(self, message: dict[str, Any]) -> None:
        """Let the socket in; where the record cannot be read now, the page tries again later."""
        try:
            await super().websocket_connect(message)
        except DatabaseError as error:
            logger.warning("a socket was sent away, the database does not answer: %s", error)
            await self.close(code=TRY_AGAIN)


_decoder = msgspec.json.Decoder(protocol.Message)


class BadMessage(RequestRefused):
    """A message that cannot be read; `number` is its command's id as far as one can be made out."""

    number: int | str | None = None


def decode(text: str, most_bytes: int) -> protocol.Message:
    """Return a message, or raise `BadMessage` saying what is wrong with it."""
    size_bytes = len(text.encode("utf-8", "replace"))
    if size_bytes > most_bytes:
        raise BadMessage(
            _("The message has %(size)s bytes; at most %(most)s are taken. Send less."),
            size=size_bytes,
            most=most_bytes,
        )
    try:
        return _decoder.decode(text)
    except RecursionError:
        raise BadMessage(_("The message is nested too deeply. Send it flat.")) from None
    except (msgspec.DecodeError, ValueError) as error:
        why = message_of(error) if isinstance(error, msgspec.ValidationError) else _("it is not JSON")
        bad = BadMessage(_("The message cannot be read: %(why)s"), why=why)
        bad.number = _id_of(text)
        raise bad from None


def _id_of(text: str) -> int | str | None:
    """Return the id of a message that is otherwise wrong, so that its sender can find which one it was."""
    try:
        found = msgspec.json.decode(text)
        number = msgspec.convert(found.get("id") if isinstance(found, dict) else None, protocol.CommandId)
    except (msgspec.MsgspecError, ValueError, RecursionError):
        return None
    return number


def page_data(scenario: dict[str, Any]) -> dict[str, Any]:
    """Return the commands of a run's release with what completes their arguments, and the lines behind the controls."""
    return _data_of(release_of(scenario["profile"], scenario.get("settings", {})).name)


@cache
def _data_of(release: str) -> dict[str, Any]:
    facts = FACTS.get(release)
    known = sorted(USAGES.keys() & frozenset().union(*facts.commands.values())) if facts else ()
    return {
        "commands": {name: _completed(facts, name) for name in known if facts},
        "stands_for": {name: msgspec.structs.asdict(each) for name, each in STANDS_FOR.items()},
    }


def _completed(facts: ReleaseFacts, name: str) -> list[str]:
    """Return what can stand behind a command: columns, and options."""
    usage = facts.usage(name)
    return [
        *facts.columns.get(name, ()),
        *(f"--{each}" for each in dict.fromkeys((*usage.options, *usage.flags))),
    ]


GONE = 4004
TOO_MANY_WATCHERS = 4010
TOO_FAST = 4008
FULL = 4013
NO_HELLO = 4014
MOVED = 4015
"""Close code: another process has the session; the message before it has the address."""

OUTBOX = 256
BESIDE_COMMANDS_PER_S = 80
HELLOS_PER_S = 0.5
HELLO_S = 10.0
"""Seconds without a first message after which a socket is closed."""

_held = HeldQuotas()


class SessionSocket(SocketConsumer):
    """One browser's connection to one session."""

    client: SessionClient | None = None
    host: SessionHost | None = None
    _over = False
    _deadline: asyncio.TimerHandle | None = None
    _sender: asyncio.Task[None] | None = None
    _place: dict[str, int] = {}

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        """Handle what comes, one message after the other. Channels would wait beside that for messages of a channel
        layer, with a task or two for each: frames never go over a layer, and nobody sends a session's socket anything
        else there.
        """
        self.scope, self.base_send, self.channel_layer = scope, send, None
        self._send_straight = scope.get(STRAIGHT, send)
        self._send_at_once = scope.get(request_callers.AT_ONCE)
        with contextlib.suppress(StopConsumer):
            while True:
                await self.dispatch(await receive())

    async def connect(self) -> None:
        """Take a place for this socket, or say why not and close. It joins the session with its first wish."""
        await self.accept()
        self.session_id: str = self.scope["url_route"]["kwargs"]["session_id"]
        self.limits = session_limits.current()
        now_s = time.monotonic()
        messages_per_s = self.limits.commands_per_s + BESIDE_COMMANDS_PER_S
        self._messages = RateBucket(messages_per_s, 2 * messages_per_s, now_s)
        self._commands = RateBucket(self.limits.commands_per_s, 2 * self.limits.commands_per_s, now_s)
        self._hellos = RateBucket(HELLOS_PER_S, 4, now_s)
        self._may_play = kept_runs.holds_key(self.scope.get("query_string", b""), self.session_id)
        self._outbox: asyncio.Queue[tuple[str, Any]] = asyncio.Queue(OUTBOX)
        self._sender = asyncio.create_task(self._send_outbox())
        caller = await database_sync_to_async(request_callers.of_scope)(self.scope)
        self.client = SessionClient(
            self._put,
            language_of(self.scope),
            await database_sync_to_async(kept_runs.owns)(self.scope["session"], self.session_id),
            close=lambda for_good: self._end(GONE if for_good else TRY_AGAIN),
            move=lambda: self._last("move", None),
            group=caller.group,
        )
        if not self._take_place(caller):
            text = _("You have too many pages open here at once. Close some of them; this one then goes on.")
            self._refuse_all(FULL, PageMessage(text))
        elif not await database_sync_to_async(kept_runs.session_exists)(self.session_id):
            self._refuse_all(
                GONE, PageMessage(_("This session is gone. Start a new one from the first page."))
            )
        elif not self._over:
            self._deadline = asyncio.get_running_loop().call_later(HELLO_S, self._end, NO_HELLO)

    def _take_place(self, caller: RequestCaller) -> bool:
        """Count this socket for its class or address and, where it has a cookie, for its visitor."""
        bounds = {f"of {caller.group}": self.limits.sockets_per_address}
        if caller.visitor:
            bounds[f"visitor {caller.visitor}"] = self.limits.sockets_per_visitor
        if _held.take(bounds) is not None:
            return False
        self._place = bounds
        return True

    def _join(self, client: SessionClient) -> None:
        """Join the session, or say why not and close. A socket that wants nothing takes nobody's place."""
        if self._deadline is None:
            return  # not looked up yet, or over
        try:
            self.host = live_hosts.registry().join(self.session_id, client)
        except TooManyWatchers as refused:
            self._refuse_all(TOO_MANY_WATCHERS, refused.message)
        except ServerFull as refused:
            self._refuse_all(FULL, refused.message)
        else:
            self._deadline.cancel()

    async def disconnect(self, code: int) -> None:
        self._leave()
        if self._sender:
            self._sender.cancel()

    def _leave(self) -> None:
        self._over = True
        if self.host and self.client:
            self.host.leave(self.client)
        self.host = None
        if self._deadline is not None:
            self._deadline.cancel()
            self._deadline = None
        _held.give_back(self._place)
        self._place = {}

    async def receive(self, text_data: str | None = None, bytes_data: bytes | None = None) -> None:
        if self._over or self.client is None:
            return
        if not self._messages.take(time.monotonic()):
            self._refuse_all(TOO_FAST, PageMessage(_("Too many messages: the connection is closed.")))
            return
        try:
            self._dispatch(self.client, decode(text_data or "", self.limits.command_bytes))
        except BadMessage as bad:
            logger.info("session %s: a message was refused: %s", self.session_id, bad)
            self.client.refused(bad.number, bad.message)
        except RequestRefused as refused:
            self.client.notice("limit", refused.message)

    # --- what was sent ---

    def _dispatch(self, client: SessionClient, message: protocol.Message) -> None:
        if self.host is None and not isinstance(message, protocol.FrameAck | protocol.ShowFile):
            self._join(client)
        host = self.host
        if host is None:
            return
        match message:
            case protocol.FrameAck():
                host.acknowledge(client, message.through)
                return
            case protocol.ShowFile():
                host.show(client, message.seen)
                return
            case protocol.PageHello():
                # A browser that lost its place sends hello for each frame under way: one answer is enough.
                if not self._hellos.take(time.monotonic()):
                    return
            case protocol.AskConsole():
                self._check_pace()
            case protocol.CommandMessage() | protocol.UndoCommand() | protocol.PredictStory():
                try:
                    self._check_may_command(client)
                except RequestRefused as refused:
                    logger.info("session %s: a command was refused: %s", self.session_id, refused)
                    client.refused(message.id, refused.message)
                    return
            case _:
                self._check_may_command(client, client.owner or self._may_play)
        host.request(client, message)

    def _check_may_command(self, client: SessionClient, may: bool | None = None) -> None:
        if not (client.owner if may is None else may):
            raise RequestRefused(
                _(
                    "You are watching somebody else's session. To get one of your own, use Share and open "
                    "the link."
                )
            )
        if paused_sessions.is_held(self.session_id):
            raise RequestRefused(_("Your teacher has paused the class. Look up; it continues soon."))
        self._check_pace()

    def _check_pace(self) -> None:
        if not self._commands.take(time.monotonic()):
            raise RequestRefused(
                _("Too fast: this server takes %(most)s commands a second. Try again."),
                most=self.limits.commands_per_s,
            )

    # --- what is sent ---

    def _put(self, text: bytes) -> None:
        """Queue a message for the browser; disconnect a browser with too many pending messages."""
        if self._send_at_once is not None and self._outbox.empty() and self._send_at_once(text):
            return
        try:
            self._outbox.put_nowait(("text", text.decode()))
        except asyncio.QueueFull:
            self._end(TRY_AGAIN)

    def _refuse_all(self, code: int, message: PageMessage) -> None:
        """Say why nothing more will be done, and close."""
        if self.client:
            self.client.notice("error", message)
        logger.info("session %s: a socket was closed (%s): %s", self.session_id, code, message)
        self._end(code)

    async def _new_place(self) -> str | None:
        """Return where the session's socket is, None if nobody has it (yet) or the proxy did not reach who has."""
        node = await database_sync_to_async(session_leases.node_of)(self.session_id)
        query = self.scope.get("query_string", b"").decode("ascii", "replace")
        if node in ("", settings.WATERLINE_NODE, live_hosts.hint_of(query)):
            return None
        return live_hosts.at_node(self.scope["path"], query, node)

    def _end(self, code: int) -> None:
        self._last("close", code)

    def _last(self, kind: str, value: Any) -> None:
        self._leave()
        while self._outbox.full():
            self._outbox.get_nowait()
        self._outbox.put_nowait((kind, value))

    async def _send_outbox(self) -> None:
        while True:
            kind, value = await self._outbox.get()
            if kind == "move":
                try:
                    place = await self._new_place()
                except DatabaseError:
                    place = None
                if place is not None:
                    await self.send(text_data=json.dumps({"t": "moved", "websocket": place}))
                kind, value = "close", TRY_AGAIN if place is None else MOVED
            if kind == "close":
                await self.close(code=value)
                return
            await self._send_straight({"type": "websocket.send", "text": value})
