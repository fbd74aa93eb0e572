"""The console against what rabbitmqctl of RabbitMQ 3.10.8 prints."""
