"""Control of the whole node: verbs of the commands, monitors, stops and starts, and the snapshot."""
