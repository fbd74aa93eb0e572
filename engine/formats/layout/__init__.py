"""What every byte of a record means, field by field: what the records of all releases share."""
