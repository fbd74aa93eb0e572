"""What the transitions of version 2 mean for the common metrics."""
