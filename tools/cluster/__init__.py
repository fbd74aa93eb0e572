"""A cluster on one machine: PostgreSQL, Redis, a proxy, and processes of the app as they would stand on several."""
