"""The storage engine of RabbitMQ 3.10.8's classic queues (version 1), on extents, without I/O of its own."""

ENGINE_VERSION = "0.4.0"
