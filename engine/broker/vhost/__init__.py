"""The virtual hosts with their files, definitions and bounds."""
