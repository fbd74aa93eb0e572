"""Plays scenarios in a worker of Chromium.

They are those of digests.mjs, and they are played by the same lines; the engine is started as the static edition
starts it (static/js/wasm/python.js).
"""

from __future__ import annotations

import json
import tempfile
from pathlib import Path
from typing import Any

from playwright.sync_api import sync_playwright

from tools import chromium
from tools.static_host import serving

ROOT = Path(__file__).resolve().parents[3]
PLAY = Path(__file__).with_name("play.py")
MOST_MS = 600_000
WORKER = """
import { contents, startPython, unpack } from "%(url)sstatic/js/wasm/python.js";
addEventListener("message", async ({ data }) => {
  try {
    const python = await startPython("%(url)swasm/");
    unpack(python, await contents("%(url)swasm/scenarios.zip"));
    postMessage({ rows: python.runPython(data.play)(data.names) });
  } catch (error) {
    postMessage({ error: String(error.message).slice(-3000) });
  }
});
"""
ASK = """([code, play, names]) => new Promise((done, fail) => {
  const worker = new Worker(URL.createObjectURL(new Blob([code], { type: "text/javascript" })), { type: "module" });
  worker.onerror = (event) => fail(new Error(event.message || "the worker could not be loaded"));
  worker.onmessage = ({ data }) => (data.error ? fail(new Error(data.error)) : done(data.rows));
  worker.postMessage({ play, names });
})"""


def rows(wasm: Path, names: list[str]) -> list[dict[str, Any]]:
    """Return a row for each scenario that was played in the worker."""
    warnings: list[str] = []
    with tempfile.TemporaryDirectory(prefix="waterline-") as scratch, sync_playwright() as playwright:
        folder = Path(scratch)
        (folder / "static").symlink_to(ROOT / "static")
        (folder / "wasm").symlink_to(wasm.resolve())
        browser = playwright.chromium.launch(executable_path=chromium.executable(), args=chromium.FLAGS)
        with serving(folder) as host:
            page = browser.new_page()
            page.set_default_timeout(MOST_MS)
            page.on("console", lambda message: warnings.append(message.text))
            page.goto(
                f"{host.url}wasm/pyodide-lock.json"
            )  # any page of the host: the worker is of the same origin
            asked = [WORKER % {"url": host.url}, PLAY.read_text("utf-8"), " ".join(names)]
            answers: list[dict[str, Any]] = json.loads(page.evaluate(ASK, asked))
        browser.close()
    if warnings:
        raise RuntimeError(f"Chromium says: {warnings}")
    return answers
