"""What every transition is, and the kinds that are no queue implementation's own: of the node, AMQP, mirrors, stops."""

from typing import Final

from engine.report.transitions import node, queue

MODULES: Final = (node, queue)
"""Where they are defined, in the order in which documents list them."""
