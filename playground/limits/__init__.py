"""What one visitor, session or address may take of the server, and the gates that hold to it."""
