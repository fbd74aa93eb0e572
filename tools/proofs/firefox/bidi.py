"""Firefox, driven over WebDriver BiDi: https://w3c.github.io/webdriver-bidi/."""

from __future__ import annotations

import asyncio
import json
import os
import re
import tempfile
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from typing import Any, Final, Self

from websockets.asyncio.client import ClientConnection, connect

STARTS_S: Final = 120
ANSWERS_S: Final = 120


class BidiError(Exception):
    """The browser answered with an error, or not at all."""


class Tab:
    """One tab of a browser.

    Args:
        socket: a session's own.
    """

    def __init__(self, socket: ClientConnection) -> None:
        self._socket = socket
        self._calls = 0
        self._context = ""

    async def begin(self) -> Self:
        """Begin a session and open the tab."""
        await self._call("session.new", capabilities={})
        self._context = (await self._call("browsingContext.create", type="tab"))["context"]
        return self

    async def go(self, url: str) -> None:
        """Open a page and wait until it is loaded."""
        await self._call("browsingContext.navigate", context=self._context, url=url, wait="complete")

    async def value(self, expression: str) -> Any:
        """Return what a JavaScript expression comes to, as JSON has it.

        Raises:
            BidiError: it threw.
        """
        wrapped = f"JSON.stringify({expression})"
        target = {"context": self._context}
        answer = await self._call("script.evaluate", expression=wrapped, target=target, awaitPromise=True)
        if answer["type"] != "success":
            raise BidiError(answer["exceptionDetails"]["text"])
        return json.loads(answer["result"]["value"])

    async def _call(self, method: str, **params: Any) -> dict[str, Any]:
        self._calls += 1
        await self._socket.send(json.dumps({"id": self._calls, "method": method, "params": params}))
        async with asyncio.timeout(ANSWERS_S):
            while True:
                answer = json.loads(await self._socket.recv())
                if answer.get("id") == self._calls:
                    break
        if answer["type"] != "success":
            raise BidiError(f"{method}: {answer.get('message', answer['error'])}")
        found: dict[str, Any] = answer["result"]
        return found


@asynccontextmanager
async def firefox(program: str) -> AsyncIterator[Tab]:
    """Start Firefox with a profile of its own, and end it afterwards.

    Args:
        program: its path.
    """
    with tempfile.TemporaryDirectory(prefix="waterline-firefox-", ignore_cleanup_errors=True) as profile:
        options = ("--headless", "--no-remote", "--profile", profile, "--remote-debugging-port", "0")
        process = await asyncio.create_subprocess_exec(
            program,
            *options,
            stdout=asyncio.subprocess.DEVNULL,
            stderr=asyncio.subprocess.PIPE,
            env={**os.environ, "HOME": profile},
        )
        try:
            async with asyncio.timeout(STARTS_S):
                address = await _address(process)
            async with connect(f"{address}/session", max_size=None) as socket:
                yield await Tab(socket).begin()
        finally:
            with suppress(ProcessLookupError):
                process.kill()
            await process.wait()


async def _address(process: asyncio.subprocess.Process) -> str:
    assert process.stderr is not None
    logged = []
    async for line in process.stderr:
        logged.append(line.decode(errors="replace"))
        found = re.search(r"WebDriver BiDi listening on (ws://\S+)", logged[-1])
        if found:
            return found[1]
    raise BidiError("Firefox ended before it listened: " + "".join(logged)[-500:])
