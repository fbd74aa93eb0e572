"""AMQP's rules without a node."""
