"""Reading of files that may be damaged: how far each can be read, and its faults."""
