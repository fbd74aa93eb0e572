"""Operations on many numbers at once with numpy, if available; same results as `plain_vectors`."""

from __future__ import annotations

from array import array

try:
    import numpy as np
except ModuleNotFoundError:  # in a browser
    from engine.values.plain_vectors import reaching, running_sums, span
else:

    def span(words: array[int]) -> tuple[int, int]:
        """Return the least and the most of some numbers, 0 without any."""
        if not words:
            return 0, 0
        numbers = np.frombuffer(words, np.uintc)
        return int(numbers.min()), int(numbers.max())

    def running_sums(words: array[int]) -> array[int]:
        """Return the running sums, beginning with 0, as words of eight bytes."""
        sums = np.zeros(len(words) + 1, np.int64)
        if words:
            np.cumsum(np.frombuffer(words, np.uintc), out=sums[1:])
        found = array("q")
        found.frombytes(sums.tobytes())
        return found

    def reaching(words: array[int], border: int) -> bytes:
        """Return a byte for each number: 1 where it reaches a border, else 0."""
        return (np.frombuffer(words, np.uintc) >= border).tobytes() if words else b""


__all__ = ["reaching", "running_sums", "span"]
