"""The edition for any static host: the server's own pages as files, and sessions in the reader's browser."""
