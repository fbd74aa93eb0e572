"""Sessions in the database, and their writers."""
