"""What every transition is, and the kinds that are no queue implementation's own: of the node, AMQP, mirrors, stops."""

from typing import Final

from engine.report.transitions import amqp, node, queue

MODULES: Final = (
    amqp,
    queue,
    node,
    node,
    queue,
    queue,
    queue,
)
"""Where they are defined, in the order in which documents list them."""
