"""Floor 3: turns. `engine.take` is one turn; `session.Sessions` records it."""
