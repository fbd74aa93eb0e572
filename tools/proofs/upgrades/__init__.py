"""What the next release takes of an older one's configuration, definitions and directory, asked of real nodes."""
