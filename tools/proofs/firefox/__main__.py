"""Check that the page of a run opens from a disk in Firefox and draws: `make firefox-test`."""

from __future__ import annotations

import argparse
import asyncio
import json
import tempfile
import time
from pathlib import Path
from typing import Any, Final

from websockets.asyncio.client import connect
from websockets.asyncio.server import ServerConnection, serve

from playground.offline import export
from tools.proofs.firefox.bidi import Tab, firefox

SCENARIO: Final = "first-burst"
OPENS_S: Final = 180
FEWEST_COLOURS: Final = 8
"""An empty canvas has one; lanes, messages and their words have many."""

READY = "!document.body.inert && /^00:0/.test(document.querySelector('[data-clock]')?.textContent ?? '')"
COLOURS = """(() => {
  const canvas = document.querySelector('[data-canvas=stage]');
  const pixels = new Uint32Array(canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height).data.buffer);
  return new Set(pixels).size;
})()"""


async def check(tab: Tab, url: str) -> int:
    """Open a page of a run; return how many colours its stage has.

    Raises:
        AssertionError: it does not open, or draws nothing.
    """
    await tab.go(url)
    latest = time.monotonic() + OPENS_S
    while not await tab.value(READY):
        assert time.monotonic() < latest, "the page does not open"
        await asyncio.sleep(0.2)
    colours = 0
    while colours < FEWEST_COLOURS:
        assert time.monotonic() < latest, f"the stage has {colours} colours"
        colours = int(await tab.value(COLOURS))
        await asyncio.sleep(0.2)
    return colours


async def _with_stub(url: str) -> int:
    """Check a browser that only pretends: it opens at the second question and has 9 colours at the third."""
    asked: list[str] = []

    async def answer(socket: ServerConnection) -> None:
        async for text in socket:
            call = json.loads(text)
            asked.append(call["method"])
            result: dict[str, Any] = {"context": "tab"}
            if call["method"] == "script.evaluate":
                count = asked.count("script.evaluate")
                returned = "9" if "getImageData" in call["params"]["expression"] else json.dumps(count > 1)
                result = {"type": "success", "result": {"type": "string", "value": returned}}
            await socket.send(json.dumps({"id": call["id"], "type": "success", "result": result}))

    async with serve(answer, "127.0.0.1", 0) as server:
        port = server.sockets[0].getsockname()[1]
        async with connect(f"ws://127.0.0.1:{port}/session") as socket:
            return await check(await Tab(socket).begin(), url)


async def _with_firefox(program: str, url: str) -> int:
    async with firefox(program) as tab:
        return await check(tab, url)


def main() -> int:
    """Run the check."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--firefox", default="", help="path of the program")
    parser.add_argument("--tiny", action="store_true", help="with a stand-in for the browser")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="waterline-run-") as folder:
        page = Path(folder) / "run.html"
        if export.main([SCENARIO, "-o", str(page)]):
            return 1
        work = _with_stub(page.as_uri()) if options.tiny else _with_firefox(options.firefox, page.as_uri())
        print(f"The page of a run opens from a disk, and its stage has {asyncio.run(work)} colours.")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
