"""What is proved of the engine, measured anew and written down for the page /fidelity."""
