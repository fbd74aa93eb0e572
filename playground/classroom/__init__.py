"""Classes: a teacher, a join code, students without accounts, and what the teacher sees of their work."""
