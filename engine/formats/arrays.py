"""Numpy where it is installed; in a browser, a plain Python version of what the formats use."""

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
