"""What every transition is, and the kinds that are no queue implementation's own: of the node, AMQP, mirrors, stops."""
