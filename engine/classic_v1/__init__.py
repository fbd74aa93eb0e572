"""Classic queues, version 1: queue, index, message store and their files, as RabbitMQ 3.8 and 3.10 have them."""
