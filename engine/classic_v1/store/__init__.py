"""The message store: bodies of many queues in shared files, with reference counts and garbage collection."""
