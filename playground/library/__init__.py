"""The ready scenarios and the measured facts that pages show."""
