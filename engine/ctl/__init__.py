"""The operator's view: lines of `rabbitmqctl`, what they change, and what they answer in the broker's format."""
