"""Numpy, where it is to be had. On a ledger the engine only counts bytes, so a browser does without it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Bytes2D = NDArray[np.uint8]

else:
    try:
        import numpy as np
    except ModuleNotFoundError:

        class _Missing:
            def __getattr__(self, name: str) -> Any:
                raise ModuleNotFoundError("numpy is needed to write and read records; sizes alone need none")

        np = _Missing()
    Bytes2D = Any

__all__ = ["Bytes2D", "np"]
