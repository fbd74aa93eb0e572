"""What starts on the same files have read of them: the next start decodes none of them anew."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from engine.formats.message import MessageCodec

Decode = Callable[[bytes], Sequence[Any]]


class DecodedFiles:
    """The chunks of files by their bytes, for starts that are only counted.

    Chunks number messages as the codec that read them does, so all starts share the numbers of the first.
    """

    def __init__(self) -> None:
        self._first: MessageCodec | None = None
        self._chunks: dict[tuple[Any, ...], list[Any]] = {}

    def share(self, codec: MessageCodec) -> None:
        """Let the node of another start number messages as the first one did; nothing was read by it yet."""
        if self._first is None:
            self._first = codec
        else:
            self._first.share_with(codec)

    def chunks(self, data: bytes, decode: Decode) -> list[Any] | None:
        """Return what a decoder makes of a whole file; None of a decoder that names no codec.

        Raises:
            EngineError: the file is damaged, each time that it is read.
        """
        if not isinstance(decode, partial) or "codec" not in decode.keywords:
            return None
        how = {name: value for name, value in decode.keywords.items() if name != "codec"}
        key = (data, decode.func, decode.args, type(decode.keywords["codec"]), *sorted(how.items()))
        if key not in self._chunks:
            self._chunks[key] = list(decode(data))
        return self._chunks[key]

    def forget(self) -> None:
        """Forget everything, after the last start."""
        self._chunks.clear()
