"""The variable queue: alpha, beta, gamma and delta moving through q1, q2, delta, q3 and q4 (queue.md Q1-Q65)."""
