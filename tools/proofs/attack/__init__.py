"""Everything that a stranger may try, against a real server on this machine, with an innocent session beside it."""
