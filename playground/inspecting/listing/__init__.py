"""Pasted listings: rows of any form, their figures, and what of them was not read."""
