"""What the commands do that a person gives by hand on channels: get, settle, basic.qos, basic.recover (P10-P14)."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from engine.amqp.declarations import check_access
from engine.amqp.errors import AmqpError
from engine.broker.clients.channel import connection_of
from engine.broker.clients.manual_channel import ManualChannel
from engine.broker.commands import channel_modes as modes
from engine.broker.commands import hand_commands as hand_cmd
from engine.broker.commands.base import Command
from engine.broker.control.client_parts import OnClientParts
from engine.broker.control.verbs import Handlers
from engine.values.errors import CommandError


class HandVerbs(OnClientParts):
    """The channels by hand at work."""

    def handlers(self) -> Handlers:
        """Return what does each of these commands."""
        verbs: dict[type[Command], tuple[Callable[[ManualChannel, Any], None], str]] = {
            hand_cmd.Get: (self._get, "P18"),
            hand_cmd.Purge: (self._purge, "P19"),
            hand_cmd.Ack: (self._ack, "P14"),
            hand_cmd.Requeue: (self._requeue, "P14"),
            hand_cmd.Nack: (self._nack, "P14"),
            hand_cmd.Reject: (self._reject, "P14"),
            hand_cmd.AckTag: (self._ack_tag, "P14"),
            hand_cmd.NackTag: (self._nack_tag, "P14"),
            hand_cmd.Recover: (self._recover, "P11"),
            hand_cmd.Qos: (self._qos, "P13"),
            modes.ConfirmSelect: (self._confirm_select, "K1"),
            modes.TxSelect: (self._tx_select, "D12"),
            modes.TxCommit: (self._tx_commit, "D13"),
            modes.TxRollback: (self._tx_rollback, "D14"),
        }
        return {kind: partial(self._on_channel, do, rule) for kind, (do, rule) in verbs.items()}

    def _on_channel(self, do: Callable[[ManualChannel, Any], None], rule: str, command: Any) -> None:
        """Do a command on the channel that it names, which AMQP's errors close."""
        with self._consumers.on_channel(command.channel) as hand:
            try:
                do(hand, command)
            except AmqpError as error:
                self._closing.fail(hand.name, error, rule)

    def _check_access(self, hand: ManualChannel, queue: str) -> None:
        check_access(self._definitions.queues.get(queue), queue, connection_of(hand.name))

    def _get(self, hand: ManualChannel, command: hand_cmd.Get) -> None:
        self._check_access(hand, command.queue)
        get = partial(self._get_now, hand, command)
        if not self._patience.puts_off(command.queue, hand.name, get):
            get()

    def _get_now(self, hand: ManualChannel, command: hand_cmd.Get) -> None:
        self._check_access(hand, command.queue)
        self._lifetimes.used(self._queues[command.queue])
        self._consumers.hand_deliveries.get(hand, command.queue, command.count, command.ack)

    def _purge(self, hand: ManualChannel, command: hand_cmd.Purge) -> None:
        self._check_access(hand, command.queue)
        purge = partial(self._purge_now, hand, command)
        if not self._patience.puts_off(command.queue, hand.name, purge):
            purge()

    def _purge_now(self, hand: ManualChannel, command: hand_cmd.Purge) -> None:
        self._check_access(hand, command.queue)
        self._queues[command.queue].purge()

    def _check_held(self, hand: ManualChannel, count: int) -> None:
        held = len(hand.channel)
        if count > held:
            raise CommandError("not_held", held=held, count=count)

    def _ack(self, hand: ManualChannel, command: hand_cmd.Ack) -> None:
        self._check_held(hand, command.count)
        self._consumers.hand_deliveries.ack_held(hand, command.count, command.multiple)

    def _requeue(self, hand: ManualChannel, command: hand_cmd.Requeue) -> None:
        self._check_held(hand, command.count)
        self._consumers.hand_deliveries.requeue_held(hand, command.count)

    def _nack(self, hand: ManualChannel, command: hand_cmd.Nack) -> None:
        self._check_held(hand, command.count)
        self._consumers.hand_deliveries.nack_held(hand, command.count, command.multiple, command.requeue)

    def _reject(self, hand: ManualChannel, command: hand_cmd.Reject) -> None:
        self._check_held(hand, command.count)
        self._consumers.hand_deliveries.nack_held(hand, command.count, False, command.requeue, reject=True)

    def _ack_tag(self, hand: ManualChannel, command: hand_cmd.AckTag) -> None:
        self._consumers.hand_deliveries.ack_tag(hand, command.tag, command.multiple)

    def _nack_tag(self, hand: ManualChannel, command: hand_cmd.NackTag) -> None:
        self._consumers.hand_deliveries.nack_tag(
            hand, command.tag, command.multiple, command.requeue, command.reject
        )

    def _recover(self, hand: ManualChannel, command: hand_cmd.Recover) -> None:
        if not command.requeue:
            raise AmqpError("not_implemented", "requeue=false")
        self._consumers.hand_deliveries.recover(hand)

    def _qos(self, hand: ManualChannel, command: hand_cmd.Qos) -> None:
        # Without `global` it only lifts the channel's limit: a consumer's own prefetch is a word of its command.
        self._consumers.limit_channel(hand.channel, command.prefetch if command.channel_wide else 0)

    def _tx_select(self, hand: ManualChannel, _: modes.TxSelect) -> None:
        hand.select_tx()

    def _confirm_select(self, hand: ManualChannel, _: modes.ConfirmSelect) -> None:
        hand.select_confirms()

    def _check_tx(self, hand: ManualChannel) -> None:
        if not hand.in_tx:
            raise AmqpError("precondition_failed", "channel is not transactional")

    def _tx_commit(self, hand: ManualChannel, _: modes.TxCommit) -> None:
        self._check_tx(hand)
        tx = hand.publisher.tx
        if tx is None:
            return
        tx.at_commit, tx.refused = True, False
        self._connections.commit(hand)
        self._consumers.hand_deliveries.commit(hand)
        tx.at_commit = False
        if tx.refused:
            raise AmqpError("precondition_failed", "partial tx completion")

    def _tx_rollback(self, hand: ManualChannel, _: modes.TxRollback) -> None:
        self._check_tx(hand)
        if hand.publisher.tx is not None:
            hand.publisher.tx.roll_back()
        hand.roll_back()
