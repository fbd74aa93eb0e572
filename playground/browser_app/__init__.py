"""What pages of the static edition ask instead of a server: the same Python and templates, in the reader's browser."""
