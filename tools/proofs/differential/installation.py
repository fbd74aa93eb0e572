"""Where the programs of a RabbitMQ release are, and the environment in which they run."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path
from typing import Final

import msgspec

TOOLS = Path(__file__).resolve().parents[3] / "tools"
LATEST: Final = "3.10.8"
OLD: Final = "3.8.9"
TODAYS: Final = ("4.3.6", "4.0.5")
"""Releases whose queues are of version 2, each in a system of its own."""
RELEASES: Final = (LATEST, OLD, *TODAYS)


class NodeFailed(RuntimeError):
    """The private node is not here, did not start, or did not stop."""


class Installation(msgspec.Struct, frozen=True):
    """One release on this machine.

    Args:
        home: directory with `sbin` and `plugins`.
        libraries: directory in which the compiler finds headers.
        environment: for all of its programs.
        enter: what its programs are run by, where they need another system around them; paths below /tmp and /dev
            are the same in there.
        queues: folder of the driver's modules that know its queues.
    """

    home: Path
    libraries: Path
    environment: dict[str, str] = {}
    enter: tuple[str, ...] = ()
    queues: str = "v1"


def summary_file(folder: Path, release: str) -> Path:
    """Return where a run leaves its summary unless it is told otherwise: that of an older release by itself."""
    return folder / ("summary.json" if release == LATEST else f"summary-{release}.json")


def installation(release: str) -> Installation:
    """Return where a release is; the distribution's packages are fetched where it is missing.

    Raises NodeFailed where that is impossible.
    """
    if release == LATEST:
        home = _ensured("ensure_rabbitmq.sh", release)
        return Installation(home, home / "plugins")
    if release in TODAYS:
        root = _ensured("ensure_rabbitmq_suite.sh", release)
        home = Path("/usr/lib/rabbitmq/lib") / f"rabbitmq_server-{release}"
        enter = (str(TOOLS / "enter_root.sh"), str(root))
        return Installation(home, home / "plugins", enter=enter, queues="v2")
    if release != OLD:
        raise NodeFailed(f"there is no RabbitMQ {release} here; one of {', '.join(RELEASES)} is meant")
    place = _ensured("ensure_rabbitmq_3_8.sh", release)
    root = (place / "root").resolve()
    erlang = root / "usr" / "lib" / "erlang"
    environment = {
        "PATH": f"{erlang / 'bin'}{os.pathsep}{os.environ['PATH']}",
        "ERL_ROOTDIR": str(erlang),
        "LD_LIBRARY_PATH": str(root / "usr" / "lib" / "x86_64-linux-gnu"),
    }
    home = root / "usr" / "lib" / "rabbitmq" / "lib" / f"rabbitmq_server-{release}"
    return Installation(home, place / "libs", environment)


def _ensured(script: str, release: str) -> Path:
    run = subprocess.run([str(TOOLS / script), release], stdout=subprocess.PIPE, text=True, check=False)
    if run.returncode:
        raise NodeFailed(f"RabbitMQ {release} is not here and could not be fetched")
    return Path(run.stdout.strip().splitlines()[-1])
