"""What a node is told: commands, scenarios and settings, as typed values with bounds."""
