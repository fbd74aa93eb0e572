"""The operator's console: lines of `rabbitmqctl`, what they change, and their answers in the broker's format."""
