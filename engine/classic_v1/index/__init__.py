"""The queue index, version 1: which messages a queue holds, in a journal and in segment files (S60-S119)."""
