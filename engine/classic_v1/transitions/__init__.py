"""The kinds of transitions that classic queues of version 1 report: messages, queue record, index and stores."""
