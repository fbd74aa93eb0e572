"""What happens where a queue gets files of another version."""
