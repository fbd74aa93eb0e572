"""The storage port: files as sequences of chunks, kept really (directory) or by size alone (ledger)."""
