"""Where the browser is and how to start it: the distribution's Chromium, driven by Playwright."""

import shutil

NAMES = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
"""In the order of choice. The headless shell has no windows to draw: a page takes half of the processor time."""

FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
"""Needed as root and in containers, and they keep the browser from calling anyone."""


def executable() -> str:
    """Return the path of the browser, or explain how to get one."""
    for name in NAMES:
        path = shutil.which(name)
        if path:
            return path
    raise RuntimeError("Chromium is not installed: tools/ensure_chromium.sh installs it (make test calls it)")
