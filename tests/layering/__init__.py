"""The sources keep the rules that the documents state."""
