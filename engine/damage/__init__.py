"""Files that may be damaged: how far each can be read, and what is wrong with it."""
