"""What-if sweeps: the engine, run over a grid of settings by Spark. Specification, plan, run, publication.

`spec` reads and checks the description, `plan` turns it into cells with stable ids, `run` spreads the cells over
Spark, `cell` runs one of them, `publish` writes the table for the page. Only `run` and `session` use Spark.
"""
