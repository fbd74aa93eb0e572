"""What only a queue of version 2 and its stores report."""
