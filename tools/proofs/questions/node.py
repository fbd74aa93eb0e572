"""The questions on a real node: declarations by AMQP, policies as the node's own function takes them."""

from __future__ import annotations

from typing import Any, Final

import pika
from pika.exceptions import AMQPChannelError, AMQPConnectionError, ChannelWrongStateError

from tools.proofs.differential.driver import BrokerRefused, Driver
from tools.proofs.differential.node import LOOPBACK, PrivateNode

QUEUE: Final = "q"
FAILED: Final = "Validation failed\n\n"
CRASHED: Final = "crash"


class NodeAnswer:
    """A node that is asked one thing after the other; each begins on an empty broker."""

    def __init__(self, node: PrivateNode) -> None:
        self._port = node.amqp_port
        self.driver = Driver(node.driver_port)
        self._connection: pika.BlockingConnection | None = None

    def close(self) -> None:
        """Leave the node."""
        self._leave()
        self.driver.close()

    def _leave(self) -> None:
        if self._connection is not None and self._connection.is_open:
            self._connection.close()
        self._connection = None

    def channel(self) -> Any:
        """Return a new channel."""
        if self._connection is None or not self._connection.is_open:
            self._connection = pika.BlockingConnection(pika.ConnectionParameters(LOOPBACK, self._port))
        return self._connection.channel()

    def _refusal(self, do: Any) -> list[Any]:
        """Return [] where something is taken, else code and text with which channel or connection is closed."""
        channel = self.channel()
        try:
            do(channel)
        except (AMQPChannelError, AMQPConnectionError, ChannelWrongStateError) as error:
            code, text = getattr(error, "reply_code", 0), getattr(error, "reply_text", str(error))
            return [code, text]
        channel.close()
        return []

    def argument(self, arguments: dict[str, Any], queue: str = QUEUE) -> list[Any]:
        """Return how a declaration of a queue with these arguments is refused, [] where it is not."""
        answer = self._refusal(
            lambda channel: channel.queue_declare(queue, durable=True, arguments=arguments)
        )
        if not answer:
            self._refusal(lambda channel: channel.queue_delete(queue))
        return answer

    def again(self, arguments: dict[str, Any]) -> list[Any]:
        """Return how it is refused to declare a queue without arguments once more, with these."""
        self.channel().queue_declare(QUEUE, durable=True)
        answer = self._refusal(
            lambda channel: channel.queue_declare(QUEUE, durable=True, arguments=arguments)
        )
        self._refusal(lambda channel: channel.queue_delete(QUEUE))
        return answer

    def exchange(self, kind: str) -> list[Any]:
        """Return how a declaration of an exchange of this type is refused."""
        answer = self._refusal(lambda channel: channel.exchange_declare("x", kind, durable=True))
        if not answer:
            self._refusal(lambda channel: channel.exchange_delete("x"))
        return answer

    def policy(self, **more: Any) -> str:
        """Return the words with which a policy is refused, "" where it is not, `crash` where the request dies."""
        wish = {
            "name": "p",
            "pattern": "^q",
            "definition": {"max-length": 5},
            "priority": 0,
            "apply_to": "queues",
        }
        try:
            answer = self.driver.ask({"do": "set_policy", **wish, **more})
        except BrokerRefused:
            return CRASHED
        if "refused" in answer:
            return str(answer["refused"]).removeprefix(FAILED).removesuffix("\n")
        self.driver.ask({"do": "clear_policy", "name": "p"})
        return ""

    def kept(self, definition: dict[str, Any], apply_to: str = "queues") -> int | None:
        """Return how many of three messages a queue keeps under a policy; None where the policy is refused."""
        channel = self.channel()
        channel.queue_declare(QUEUE, durable=True)
        wish = {"name": "p", "pattern": "^q", "definition": definition, "priority": 0, "apply_to": apply_to}
        if "refused" in self.driver.ask({"do": "set_policy", **wish}):
            found = None
        else:
            channel.confirm_delivery()
            for _ in range(3):
                channel.basic_publish("", QUEUE, b"x")
            found = int(channel.queue_declare(QUEUE, passive=True).method.message_count)
            self.driver.ask({"do": "clear_policy", "name": "p"})
        channel.queue_delete(QUEUE)
        channel.close()
        return found
