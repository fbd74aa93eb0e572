"""Memory and disk: the model, the monitors and what they measure."""
