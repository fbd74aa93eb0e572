"""Single questions to real nodes: which arguments, policies and exchanges a release takes, and its words."""
