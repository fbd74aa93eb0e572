"""The queue of 3.10, whose files have version 1 or 2 by argument or policy (W2, W18)."""
