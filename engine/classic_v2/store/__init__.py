"""The shared store of 4.x: large messages of all queues of a virtual host (W130-W151)."""

from engine.classic_v2.store.server import SharedClient, SharedStore

__all__ = ["SharedClient", "SharedStore"]
