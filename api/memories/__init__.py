"""Where sessions are held between their turns: this process, Redis, or nowhere."""

from __future__ import annotations

from dialogue.memory import Memory, NoMemory, ProcessMemory


def open_memory(place: str, *, days: float = 7.0) -> Memory:
    """The memory of a setting: `process`, `off`, or a Redis URL, which holds a session so many days.

    Raises `MemoryError` where Redis is named without its client; whether it can be reached shows in use.
    """
    if place == "off":
        return NoMemory()
    if place == "process":
        return ProcessMemory()
    from api.memories.redis import RedisMemory  # an extra

    return RedisMemory(place, seconds=round(days * 86_400))
