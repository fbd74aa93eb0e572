"""What is kept of sessions in the database, and who writes it."""
