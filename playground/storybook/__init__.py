"""Scenarios as a person reads them: the run, and around it the question, the story, the prediction and the verdict."""
