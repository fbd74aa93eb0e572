"""Virtual time: the scheduler, processes, and the time that their work takes."""
