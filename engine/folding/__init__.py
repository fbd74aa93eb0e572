"""What transitions mean: the tables that all of them change. `engine.fold` adds those of each kind of queue."""
