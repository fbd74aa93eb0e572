"""A long time on a real server: users of every kind, kills and faults; then nothing is lost, different or left over."""
