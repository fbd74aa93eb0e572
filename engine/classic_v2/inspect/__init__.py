"""Read the files of queues of version 2 and of the shared stores of 4.x, and name what is damaged in them."""
