"""How pages are delivered: templates keep what depends on the language alone, styles go inside, texts are compressed,
and one thread makes a page from its beginning to its end.

The page of a session has 370 texts to translate and 60 names of files. Django looks all of them up again for every
page, which takes nearly half of the time that it makes such a page.
"""

from __future__ import annotations

import asyncio
import base64
import contextlib
import re
from collections.abc import Iterator
from itertools import groupby
from posixpath import dirname, join, normpath
from typing import IO, Any, Final

from asgiref.sync import sync_to_async
from django.conf import STATICFILES_STORAGE_ALIAS, settings
from django.core.exceptions import RequestAborted
from django.core.files.storage import storages
from django.core.handlers.asgi import ASGIHandler, get_script_prefix
from django.core.signals import request_started
from django.http import FileResponse, HttpRequest
from django.http.response import HttpResponseBase
from django.middleware.gzip import GZipMiddleware
from django.template import Template
from django.template.base import FilterExpression, Node, NodeList, TextNode, Variable
from django.template.context import Context
from django.template.defaulttags import IfNode, LoadNode
from django.template.loaders import base, cached
from django.templatetags.i18n import TranslateNode
from django.templatetags.static import StaticNode
from django.urls import set_script_prefix
from django.utils.safestring import SafeString
from django.utils.translation import get_language

PLAIN: Final = (TextNode, LoadNode)


class KeptText(Node):
    """Neighbours in a template that give the same text whenever the language is the same."""

    child_nodelists = ()

    def __init__(self, nodes: list[Node]) -> None:
        self.token = nodes[0].token
        self._nodes = nodes
        self._kept: dict[Any, SafeString] = {}

    def render(self, context: Context) -> SafeString:
        key = get_language(), context.autoescape, storages[STATICFILES_STORAGE_ALIAS]
        if key not in self._kept:
            self._kept[key] = SafeString("".join(node.render_annotated(context) for node in self._nodes))
        return self._kept[key]


class _Joining(base.Loader):
    """Joins such neighbours in each template that it makes, before anybody has it."""

    def get_template(self, template_name: str, skip: Any = None) -> Template:
        template = super().get_template(template_name, skip)
        join_kept(template.nodelist)
        return template


class KeptTextLoader(cached.Loader, _Joining):
    """Finds templates, and keeps those that it has found."""


def join_kept(nodes: NodeList) -> None:
    """Put one node in the place of neighbours whose text may be kept, here and in whatever is inside."""
    found: list[Node] = []
    for lasts, group in groupby(nodes, _lasts):
        several = list(group)
        if lasts and not all(isinstance(each, PLAIN) for each in several):
            found.append(KeptText(several))
        else:
            found += several
            for inside in [inside for each in several for inside in _inside(each)]:
                join_kept(inside)
    nodes[:] = found


def _inside(node: Node) -> Iterator[NodeList]:
    if isinstance(node, IfNode):  # its `nodelist` is a copy
        yield from (inside for _condition, inside in node.conditions_nodelists)
        return
    for name in node.child_nodelists:
        inside = getattr(node, name, None)
        if isinstance(inside, NodeList):
            yield inside


def _lasts(node: Node) -> bool:
    """Return whether a node depends on nothing but the language, and leaves nothing behind for others."""
    match node:
        case TranslateNode():
            return node.asvar is None and node.message_context is None and _is_literal(node.filter_expression)
        case StaticNode():
            return node.varname is None and _is_literal(node.path)
        case _:
            return isinstance(node, PLAIN)


def _is_literal(expression: FilterExpression) -> bool:
    value = expression.var
    return not expression.filters and (not isinstance(value, Variable) or value.literal is not None)


IMPORTED_SHEET: Final = re.compile(r'^@import "([^"]+)";$', re.MULTILINE)
"""How a style sheet names another one that it imports, by a relative path."""
URL: Final = re.compile(r'url\("\.\./([^"]+)"\)')


def styles(*names: str) -> str:
    """Return style sheets in one, with the sheets and fonts that they name. `names`: paths below the static files."""

    def style(name: str) -> str:
        def imported(match: re.Match[str]) -> str:
            return style(normpath(join(dirname(name), match[1])))

        text = (settings.BASE_DIR / "static" / name).read_text("utf-8")
        return URL.sub(_loaded, IMPORTED_SHEET.sub(imported, text))

    return "\n".join(map(style, names))


def _loaded(match: re.Match[str]) -> str:
    data = (settings.BASE_DIR / "static" / match[1]).read_bytes()
    return f"url(data:font/woff2;base64,{base64.b64encode(data).decode()})"


COMPRESSED_TYPES: Final = frozenset(
    {"text/html", "text/plain", "text/csv", "application/json", "application/x-ndjson", "image/svg+xml"}
)


class TextCompression(GZipMiddleware):
    """Compress texts by gzip. Django adds up to 100 random bytes, so that the length gives no secret of a page away."""

    def process_response(self, request: HttpRequest, response: HttpResponseBase) -> HttpResponseBase:
        kind = response.get("Content-Type", "").partition(";")[0]
        if response.streaming or kind not in COMPRESSED_TYPES:
            return response
        return super().process_response(request, response)


class PageHandler(ASGIHandler):
    """Makes each page in one go of one thread. Django's own handler goes to the thread and back to the event loop five
    times a page, and each time waits for the interpreter's lock.
    """

    def load_middleware(self, is_async: bool = False) -> None:
        super().load_middleware()

    async def handle(self, scope: dict[str, Any], receive: Any, send: Any) -> None:
        """Answer a request, until its client is gone."""
        try:
            body = await self.read_body(receive)
        except RequestAborted:
            return
        with body:
            tasks = [asyncio.create_task(self._answer(scope, body, send)), asyncio.create_task(receive())]
            try:
                await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
            finally:
                for task in tasks:
                    task.cancel()
            for task in tasks:
                with contextlib.suppress(asyncio.CancelledError):
                    await task

    async def _answer(self, scope: dict[str, Any], body: IO[bytes], send: Any) -> None:
        response = await sync_to_async(self._respond)(scope, body)
        try:
            await self.send_response(response, send)
        finally:
            if response.streaming:
                await sync_to_async(response.close)()

    def _respond(self, scope: dict[str, Any], body: IO[bytes]) -> HttpResponseBase:
        set_script_prefix(get_script_prefix(scope))
        request_started.send(sender=self.__class__, scope=scope)
        request, response = self.create_request(scope, body)
        if request is not None:
            response = self.get_response(request)
            response._handler_class = self.__class__  # noqa: SLF001 - as Django's own does: `close` names it
            if isinstance(response, FileResponse):
                response.block_size = self.chunk_size
        if not response.streaming:
            response.close()
        return response
