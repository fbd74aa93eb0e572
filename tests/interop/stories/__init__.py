"""AMQP stories: the same steps against a real node and against the engine, and what a client sees of both."""
