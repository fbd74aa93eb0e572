"""AMQP stories: the same steps of clients on a real node and on the engine, and what the clients see of both.

A story is a list of steps (`story.py` has the words). Stories are hand-made (`stories.py`), minimal programs that once
differed (`targeted/`, `found/`), or random ones made from a seed (`programs.py`). What the broker showed is recorded
beside them, so that the tests need no broker; `make stories` plays fresh ones on a real node.
"""
