"""What-if: one engine run over a grid of settings, cell by cell. Web app and Spark jobs both use this."""
