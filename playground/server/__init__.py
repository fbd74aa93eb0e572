"""What arrives at the server, and the program that serves it."""
