"""Byte formats that all kinds of queues share: Erlang's terms, messages, properties, chunks, names of files."""
