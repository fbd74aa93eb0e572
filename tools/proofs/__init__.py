"""Programs that hold the engine against real nodes, strangers, browsers and time; targets of the Makefile run them."""
