"""What Python has and the page needs too, as JavaScript and as tables to read."""
