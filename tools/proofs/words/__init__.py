"""What the page says, held against what it shows at every moment of many random runs."""
