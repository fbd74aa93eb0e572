"""Commands that put a channel into a mode: confirms and transactions."""

from __future__ import annotations

from engine.broker.commands.base import HAND, ChannelName, Command


class ConfirmSelect(Command, frozen=True, tag="confirm_select"):
    """confirm.select: publishes on a channel by hand are confirmed from now on (K1)."""

    channel: ChannelName = HAND


class TxSelect(Command, frozen=True, tag="tx_select"):
    """tx.select: publishes and acknowledgements of a channel wait for tx.commit from now on (D12)."""

    channel: ChannelName = HAND


class TxCommit(Command, frozen=True, tag="tx_commit"):
    """tx.commit: what was published arrives, then what was acknowledged or rejected is settled (D13)."""

    channel: ChannelName = HAND


class TxRollback(Command, frozen=True, tag="tx_rollback"):
    """tx.rollback: what was published is forgotten, what was acknowledged is held again (D14)."""

    channel: ChannelName = HAND
