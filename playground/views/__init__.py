"""Pages: thin functions that read a request, ask services or selectors, and show what came of it."""
