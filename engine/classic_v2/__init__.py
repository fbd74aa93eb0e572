"""Classic queues of version 2, as RabbitMQ 4.x has them (docs/rules/queue-v2.md)."""
