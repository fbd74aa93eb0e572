"""What the transitions of version 1's index and stores change."""
