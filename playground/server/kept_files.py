"""Serves unchanging files from memory, without Django.

A page of a session imports 150 modules. Django takes 3 ms of a processor for each, and the first visit of a
class asks for all of them at once. The names contain a hash of the content, so a stored answer stays valid.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any, Final

Message = dict[str, Any]
Scope = dict[str, Any]
Send = Callable[[Message], Awaitable[None]]
Application = Callable[[Scope, Any, Send], Awaitable[None]]
Question = tuple[str, bytes, bytes]

MOST_BYTES: Final = 16 * 1024 * 1024
"""Of all answers that are kept: several times what the pages have."""
MOST_BYTES_EACH: Final = 512 * 1024
MOST_HEADER_BYTES: Final = 256
KEPT_FOR_EVER: Final = b"immutable"
DECIDES: Final = (b"accept-encoding", b"x-forwarded-proto")
"""Headers on which an answer depends: whether it is compressed, and whether it came by HTTPS."""
PARTIAL: Final = frozenset({b"range", b"if-range", b"if-none-match", b"if-modified-since", b"if-match"})
"""Who sends one of these wants another answer than the whole file."""


class KeptFiles:
    """Answers what was answered before and never changes, and hands everything else on.

    Args:
        prefix: what the paths of static files begin with.
        most_bytes: of all that is kept; beyond it, what came first is forgotten.
    """

    def __init__(self, pages: Application, prefix: str, most_bytes: int = MOST_BYTES) -> None:
        self._pages = pages
        self._prefix = prefix
        self._most_bytes = most_bytes
        self._kept: dict[Question, tuple[Message, Message]] = {}
        self._bytes = 0

    async def __call__(self, scope: Scope, receive: Any, send: Send) -> None:
        question = self._question_of(scope)
        if question is None:
            await self._pages(scope, receive, send)
        elif question in self._kept:
            for message in self._kept[question]:
                await send(message)
        else:
            answer = AnswerListener(send)
            await self._pages(scope, receive, answer)
            if answer.lasts:
                self._keep(question, answer)

    def _question_of(self, scope: Scope) -> Question | None:
        """Return what decides the answer, or None for a request whose answer is not kept."""
        if scope["method"] != "GET" or not scope["path"].startswith(self._prefix) or scope["query_string"]:
            return None
        headers = dict(scope["headers"])
        encoding, proto = (headers.get(name, b"") for name in DECIDES)
        if len(encoding) + len(proto) > MOST_HEADER_BYTES or not PARTIAL.isdisjoint(headers):
            return None
        return scope["path"], encoding, proto

    def _keep(self, question: Question, answer: AnswerListener) -> None:
        if answer.start is None or question in self._kept:
            return
        body = bytes(answer.body)
        self._bytes += len(body)
        self._kept[question] = answer.start, {"type": "http.response.body", "body": body}
        while self._bytes > self._most_bytes:
            _start, gone = self._kept.pop(next(iter(self._kept)))
            self._bytes -= len(gone["body"])


class AnswerListener:
    """Sends an answer on, and remembers it."""

    def __init__(self, send: Send) -> None:
        self.start: Message | None = None
        self.body = bytearray()
        self.whole = False
        self._send = send

    async def __call__(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            self.start = dict(message)
        elif len(self.body) <= MOST_BYTES_EACH:
            self.body += message.get("body", b"")
            self.whole = not message.get("more_body", False)
        await self._send(message)

    @property
    def lasts(self) -> bool:
        """Whether the whole answer passed and may be kept for ever."""
        if self.start is None or self.start["status"] != 200 or not self.whole:
            return False
        headers = {name.lower(): value for name, value in self.start["headers"]}
        return (
            KEPT_FOR_EVER in headers.get(b"cache-control", b"")
            and b"set-cookie" not in headers
            and len(self.body) <= MOST_BYTES_EACH
        )
