"""AMQP 0-9-1's model as values and rules: errors, exchanges, declarations, policies and dead letters.

It uses no clock, no file and no node; the node holds its values and asks it what is allowed and where a message goes.
"""
