"""Fetch the pinned files of other projects that the pages serve themselves, into static/vendor.

The files are committed, so nothing here runs at install time: run `python -m tools.vendor` after changing a
pin. Needs npm, which only downloads the packages (`npm pack`); nothing of them is executed.
"""

from __future__ import annotations

import base64
import hashlib
import re
import subprocess
import sys
import tarfile
import tempfile
from dataclasses import dataclass
from pathlib import Path

VENDOR = Path(__file__).resolve().parent.parent / "static" / "vendor"
MAP = re.compile(rb"^//# sourceMappingURL=\S+\s*\Z", re.MULTILINE)
"""The last line of a script, which names a map that is not served: collecting static files fails on it."""


@dataclass(frozen=True)
class Package:
    """One pinned package and the files wanted from it (path in the package -> path under static/vendor)."""

    name: str
    version: str
    integrity: str
    files: dict[str, str]


PACKAGES = (
    Package(
        "@fontsource-variable/inter",
        "5.3.0",
        "sha512-OupL48va4JNofb97w6NYeF9S7W/kHNKM0Er8Dem5nqi4jeOLrVJDoE8tZEpnMJmtkvNbB1EIPPwHcdkF6b1oUA==",
        {
            "files/inter-latin-wght-normal.woff2": "fonts/inter-latin.woff2",
            "files/inter-greek-wght-normal.woff2": "fonts/inter-greek.woff2",
            "LICENSE": "fonts/inter-LICENSE.txt",
        },
    ),
    Package(
        "@fontsource-variable/jetbrains-mono",
        "5.3.0",
        "sha512-F32xpS2NsGYoQi2ADSkKTgpJj7ozajsGgDJ8woTnqjmIB+dxDIqImjl4pXZVEExu8UFZ2ndhmX18EBS/hdz3Lw==",
        {
            "files/jetbrains-mono-latin-wght-normal.woff2": "fonts/jetbrains-mono-latin.woff2",
            "LICENSE": "fonts/jetbrains-mono-LICENSE.txt",
        },
    ),
    # Time series on a canvas, without dependencies: loaded only when the instruments are opened.
    Package(
        "uplot",
        "1.6.32",
        "sha512-KIMVnG68zvu5XXUbC4LQEPnhwOxBuLyW1AHtpm6IKTXImkbLgkMy+jabjLgSLMasNuGGzQm/ep3tOkyTxpiQIw==",
        {
            "dist/uPlot.esm.js": "uplot/uplot.js",
            "dist/uPlot.min.css": "uplot/uplot.css",
            "LICENSE": "uplot/uplot-LICENSE.txt",
        },
    ),
    # Films as GIF: loaded only when one is recorded.
    Package(
        "gifenc",
        "1.0.3",
        "sha512-xdr6AdrfGBcfzncONUOlXMBuc5wJDtOueE3c5rdG0oNgtINLD+f2iFZltrBRZYzACRbKr+mSVU/x98zv2u3jmw==",
        {
            "dist/gifenc.esm.js": "gifenc/gifenc.js",
            "LICENSE.md": "gifenc/gifenc-LICENSE.txt",
        },
    ),
)


def download(package: Package, folder: Path) -> Path:
    """Download the package's archive and check it against its pin."""
    result = subprocess.run(
        ["npm", "pack", "--silent", f"{package.name}@{package.version}"],
        cwd=folder,
        check=True,
        capture_output=True,
        text=True,
    )
    archive = folder / result.stdout.strip().splitlines()[-1]
    digest = "sha512-" + base64.b64encode(hashlib.sha512(archive.read_bytes()).digest()).decode()
    if digest != package.integrity:
        raise SystemExit(f"{package.name}@{package.version} is {digest}, not the pinned {package.integrity}")
    return archive


def unpack(package: Package, archive: Path) -> None:
    """Copy the wanted files out of the archive."""
    with tarfile.open(archive) as tar:
        for source, target in package.files.items():
            member = tar.extractfile(f"package/{source}")
            if member is None:
                raise SystemExit(f"{package.name}@{package.version} has no file {source}")
            path = VENDOR / target
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(MAP.sub(b"", member.read()))
            sys.stdout.write(f"{target}\n")


def main() -> None:
    """Fetch every package."""
    for package in PACKAGES:
        with tempfile.TemporaryDirectory() as folder:
            unpack(package, download(package, Path(folder)))


if __name__ == "__main__":
    main()
