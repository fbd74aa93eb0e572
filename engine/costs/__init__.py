"""What work costs: profiles of machines, and the price of each kind of transition."""
