"""What the transitions of version 2's files change."""
