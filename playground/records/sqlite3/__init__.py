"""Django's backend for SQLite, whose connections stay open with the thread that has them."""
