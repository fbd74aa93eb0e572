"""The client of the driver inside a private node: steps of a trace in, what the broker shows out."""

from __future__ import annotations

import json
import socket
from types import TracebackType
from typing import Any, Self

from tools.proofs.conformance.vector import shortened

LOOPBACK = "127.0.0.1"


class BrokerRefused(RuntimeError):
    """The real code raised an error on a step; the queue is lost."""


class DriverGone(BrokerRefused, ConnectionError):
    """The node ended."""


class Driver:
    """One connection to the driver; one queue at a time.

    Args:
        port: where the driver listens, on the loopback.
        timeout_s: how long one step may take.
    """

    def __init__(self, port: int, timeout_s: float = 600) -> None:
        self._socket = socket.create_connection((LOOPBACK, port), timeout=timeout_s)
        self._socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._file = self._socket.makefile("rwb")

    def ask(self, request: dict[str, Any]) -> dict[str, Any]:
        """Send one request and return its answer."""
        text = json.dumps(request).encode()
        self._file.write(len(text).to_bytes(4) + text)
        self._file.flush()
        answer: dict[str, Any] = json.loads(self._read(int.from_bytes(self._read(4))))
        if "error" in answer:
            raise BrokerRefused(answer["error"])
        return answer

    def _read(self, count: int) -> bytes:
        found: bytes = self._file.read(count)
        if len(found) < count:
            raise DriverGone("the driver is gone")
        return found

    def begin(self, config: dict[str, Any], id_prefix: bytes | None = None) -> dict[str, Any]:
        """Start a new queue on empty stores; return what the trace's first step shows.

        With a prefix, messages have the ids that the engine gives them, and files can be compared byte for byte.
        """
        named = {} if id_prefix is None else {"id_prefix": list(id_prefix)}
        return shown(self.ask({"do": "begin", "config": {**config, **named}}))

    def step(self, step: dict[str, Any]) -> dict[str, Any]:
        """Execute one step; return result, drain and after as in a trace file."""
        return shown(self.ask({"do": "step", "step": step}))

    def close(self) -> None:
        """Leave the driver to the next client."""
        self._file.close()
        self._socket.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()


def shown(answer: dict[str, Any]) -> dict[str, Any]:
    """Shorten the long lists of `after` as trace files do, and keep the pending tags beside them."""
    after = answer.get("after")
    if after is None:  # the call never ends, or the queue's process died
        return answer
    answer["pending_tags"] = after["pending_tags"]
    if "lanes" in after:
        del after["pending_tags"]
        answer["after"] = {name: _shortened_v2(value) for name, value in after.items()}
        return answer
    after["pending_tags"] = shortened(after["pending_tags"])
    after["seqs"] = {lane: shortened(runs) for lane, runs in after["seqs"].items()}
    for name in ("files", "segments"):
        after["qi"][name] = shortened(after["qi"][name])
    for name in ("store_persistent", "store_transient"):
        if name in after:
            store = after[name]
            store["files"] = shortened(store["files"])
            store["disk"] = store["disk"] if store["disk"] == "same" else shortened(store["disk"])
    return answer


def _shortened_v2(value: Any) -> Any:
    """Shorten every long list of a vector of cq-trace/2, however deep it stands."""
    if isinstance(value, dict):
        return {name: _shortened_v2(each) for name, each in value.items()}
    return shortened(value) if isinstance(value, list) else value
