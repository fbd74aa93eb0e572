"""What a node takes: commands, scenarios and settings, as typed values with bounds."""
