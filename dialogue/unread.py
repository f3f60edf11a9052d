"""What was not understood, in words."""

from __future__ import annotations

from dialogue.scene import Scene
from dialogue.words import say, unread_words
from nl2sql.reading import Reading


def not_understood(scene: Scene, reading: Reading) -> dict[str, str]:
    """The facts of `decline.unread`. Where names may be hidden, any word could be one: that is said of each, so that
    it tells nothing."""
    lang = reading.lang
    text = unread_words((item.text for item in reading.unread), lang)
    return {"text": text, "hidden": say(lang, "unread.hidden") if scene.policy else ""}
