"""What moves the whole node: verbs of the commands, monitors, stops and starts, and its snapshot."""
