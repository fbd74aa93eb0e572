"""`make cluster`: run a cluster until Ctrl-C; with --proof, see that another process takes over, and end."""

import argparse
import asyncio
import os
import signal
import sys
import tempfile
import time
from pathlib import Path

from tools.cluster import cluster, load, proof
from tools.free_port import free_port
from tools.live_server import ROOT

MOST_S = 90.0
"""For each proof."""


def main() -> int:
    """Read the arguments; return how it went."""
    parser = argparse.ArgumentParser(prog="python -m tools.cluster", description=__doc__)
    parser.add_argument("--apps", type=int, default=2, help="processes of the app")
    parser.add_argument("--host", default="127.0.0.1", help="where the proxy listens")
    parser.add_argument("--port", type=int, default=8000, help="of the proxy; 0 for any")
    parser.add_argument("--folder", type=Path, default=ROOT / "var" / "cluster")
    parser.add_argument(
        "--proof", action="store_true", help="stop and kill owners of a session, see what becomes of it"
    )
    given = parser.parse_args()
    os.umask(0o077)
    signal.signal(signal.SIGTERM, lambda *_signal: sys.exit(0))
    listen = f"{given.host}:{given.port or free_port()}"
    try:
        if given.proof:
            with (
                tempfile.TemporaryDirectory(prefix="wl-cluster-") as scratch,
                cluster.running(
                    Path(scratch), given.apps + 1, listen, lease_s=proof.LEASE_S, keep=False, scenarios=False
                ) as running,
            ):
                for proves in (load.one_dies, proof.owner_dies):
                    print(asyncio.run(asyncio.wait_for(proves(running), MOST_S)))
            return 0
        print("Starting PostgreSQL, Redis, the app's processes and nginx ...")
        with cluster.running(given.folder.resolve(), given.apps, listen) as running:
            for app in running.apps.values():
                print(f"  {app.name}: {app.url}, {app.log}")
            print(f"Waterline is ready: open {running.url}/  (Ctrl-C stops it)")
            _watch(running)
    except KeyboardInterrupt:
        return 0
    except RuntimeError as error:
        print(error, file=sys.stderr)
        return 1
    return 0


def _watch(running: cluster.Cluster) -> None:
    """Wait for ever, and print which process ends by itself: the others go on with its sessions."""
    ended: set[str] = set()
    while True:
        time.sleep(1)
        for app in running.apps.values():
            if app.process.poll() is not None and app.name not in ended:
                ended.add(app.name)
                print(f"{app.name} has ended ({app.process.returncode}); see {app.log}", file=sys.stderr)


if __name__ == "__main__":
    sys.exit(main())
