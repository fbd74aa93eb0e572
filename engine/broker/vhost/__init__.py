"""What a broker has: its virtual host with files, its definitions, and its bounds."""
