"""The message store: bodies of many queues in shared files, with reference counts and garbage collection."""

from engine.msg_store.client import StoreClient
from engine.msg_store.peers import Account
from engine.msg_store.store import MsgStore
from engine.msg_store.views import StoreLoad

__all__ = ["Account", "MsgStore", "StoreClient", "StoreLoad"]
