"""Limits of visitors, sessions and addresses, and the gates that enforce them."""
