"""Numpy, where it is to be had; in a browser, what the formats use of it in plain Python."""

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
        from engine.formats import plain_arrays as np
    Bytes2D = Any

__all__ = ["Bytes2D", "np"]
