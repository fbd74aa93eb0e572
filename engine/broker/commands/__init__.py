"""A node's input: commands, scenarios and settings, as typed values with bounds."""
