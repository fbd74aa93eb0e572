"""Each rule of the reference that concerns the engine, and the test that checks it."""
