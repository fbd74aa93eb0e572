"""Small programs that the Makefile calls; each does one thing."""
