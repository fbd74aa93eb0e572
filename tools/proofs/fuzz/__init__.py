"""Random programs over all verbs and profiles: none may end in an error of the engine, compiled or not."""
