"""AMQP 0-9-1's model as values and rules: errors, exchanges, declarations, policies and dead letters.

It uses no clock, no file and no node. The node holds the values, and asks here what is allowed and where a
message goes.
"""
