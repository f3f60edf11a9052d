"""Floor 2: one question → edits of slots → SQL → rows."""
