"""Report in one line that a port is taken, before the server fails with a traceback.

Usage: python tools/check_port.py HOST PORT
"""

import socket
import sys


def main(host: str, port: str) -> None:
    """Exit with a message if nothing can listen on this address."""
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((host, int(port)))
        except OSError as error:
            sys.exit(f"Cannot listen on {host}:{port} ({error.strerror}). Try another: make run PORT=8001")


if __name__ == "__main__":
    main(*sys.argv[1:])
