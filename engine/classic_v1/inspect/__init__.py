"""Reading the directories of classic queues of version 1, damage included."""
