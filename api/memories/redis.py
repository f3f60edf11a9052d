"""Sessions held in Redis, so that several processes share them and a restart loses none.

Three keys a session, all named by a digest of the tenant and the session's id: its state (with its owner and
the end of its chain), a summary of what it is about, and its last turns. Redis may be silent, slow, full or
gone at any time: no call takes longer than a fifth of a second, and what fails is left alone for a while.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from typing import TypeVar

from redis import ConnectionPool, Redis
from redis.backoff import NoBackoff
from redis.exceptions import RedisError
from redis.retry import Retry

from api.memories.breaker import Breaker, Open
from dialogue import codec
from dialogue.ledger import Tip
from dialogue.ledger.chain import Head
from dialogue.memory import RECENT, Held, MemoryLost
from dialogue.state import State

PATIENCE = 0.2  # seconds for a call
FORM = 2  # of what is kept
T = TypeVar("T")

# A later state stays: two processes may write one session, and the one that was slower is older. Turns that were
# taken under another row policy go.
_KEEP = """
local held = redis.call('GET', KEYS[1])
if held then
  local ok, found = pcall(cjson.decode, held)
  if ok and found.seq and tonumber(found.seq) >= tonumber(ARGV[1]) then return 0 end
end
local _, before = pcall(cjson.decode, held or '{}')
local _, after = pcall(cjson.decode, ARGV[2])
if type(before) ~= 'table' or before.sight ~= after.sight then redis.call('DEL', KEYS[3]) end
redis.call('SET', KEYS[1], ARGV[2], 'EX', ARGV[5])
redis.call('SET', KEYS[2], ARGV[3], 'EX', ARGV[5])
if ARGV[4] ~= '' then
  redis.call('RPUSH', KEYS[3], ARGV[4])
  redis.call('LTRIM', KEYS[3], -tonumber(ARGV[6]), -1)
end
redis.call('EXPIRE', KEYS[3], ARGV[5])
return 1
"""


class RedisMemory:
    """Holds sessions in Redis for `seconds` after their last turn."""

    def __init__(self, url: str, *, seconds: int, patience: float = PATIENCE) -> None:
        pool: ConnectionPool = ConnectionPool.from_url(
            url,
            protocol=2,  # RESP3 begins with a question of its own: one more to wait for
            socket_timeout=patience,
            socket_connect_timeout=patience,
            retry=Retry(NoBackoff(), 0),
            driver_info=None,
            decode_responses=True,
        )
        self._redis = Redis(connection_pool=pool)
        self._keep = self._redis.register_script(_KEEP)
        self._seconds = seconds
        self.breaker = Breaker("the Redis that holds sessions", (RedisError, OSError))

    @property
    def failing(self) -> bool:
        """Whether it failed when it was last asked."""
        return self.breaker.failing

    def load(self, key: str) -> Held | None:
        """What is held of a session, in one round trip. Raises `MemoryLost`."""
        text = self._asked(lambda: self._redis.get(_names(key)[0]))
        return None if text is None else _held(str(text))

    def keep(self, key: str, held: Held, turn: str) -> None:
        """Hold this from now on, unless a later state is held already. Raises `MemoryLost`."""
        arguments: list[str | int] = [
            held.state.seq,
            _text(held),
            held.summary,
            turn,
            self._seconds,
            RECENT,
        ]
        self._asked(lambda: self._keep(keys=list(_names(key)), args=arguments))

    def recent(self, key: str) -> tuple[str, ...]:
        """The last turns that were kept, the oldest first. Raises `MemoryLost`."""
        found = self._asked(lambda: self._redis.lrange(_names(key)[2], 0, -1))
        return tuple(map(str, found))

    def forget(self, key: str) -> None:
        """Hold nothing of a session. Raises `MemoryLost`."""
        self._asked(lambda: self._redis.delete(*_names(key)))

    def _asked(self, do: Callable[[], T]) -> T:
        try:
            return self.breaker.call(do)
        except (RedisError, OSError, Open) as error:
            raise MemoryLost(str(error)) from error


def _names(key: str) -> tuple[str, str, str]:
    """The three keys of a session: its state, its summary, its turns.

    >>> _names("default" + "s1")[0]
    'wenshu:e9c2f7d1b3d2a5dbb8f3c57fbdf6e8f5:state'
    """
    digest = hashlib.sha256(key.encode()).hexdigest()[:32]
    return tuple(f"wenshu:{digest}:{part}" for part in ("state", "summary", "turns"))  # type: ignore[return-value]


def _text(held: Held) -> str:
    tip = (
        None
        if held.tip is None
        else [held.tip.head.number, held.tip.head.hash, held.tip.state, held.tip.plain]
    )
    return json.dumps(
        {"v": FORM, "seq": held.state.seq, "owner": held.owner, "tip": tip, "state": held.text,
         "summary": held.summary, "sight": held.sight},
        ensure_ascii=False,
    )  # fmt: skip


def _held(text: str) -> Held | None:
    """What was kept; None for what another release kept in another form, or what is damaged."""
    try:
        data = json.loads(text)
        if data["v"] != FORM:
            return None
        tip = data["tip"]
        chain = (
            None if tip is None else Tip(Head(int(tip[0]), str(tip[1])), str(tip[2]), str(tip[3]))
        )
        state = codec.loads(data["state"], State)
        return Held(state, data["state"], chain, data["owner"], data["summary"], data["sight"])
    except (ValueError, KeyError, TypeError, IndexError):
        return None
