"""A real node under a workload: AMQP clients at its rates, and a sampler inside the node that asks no queue."""
