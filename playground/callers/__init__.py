"""Who asks: the address, the browser, and whether a session is theirs."""
