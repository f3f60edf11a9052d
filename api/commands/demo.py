"""`wenshu demo`: a conversation is played on the terminal, then the page is served."""

from __future__ import annotations

from api.commands.talk import show, terminal
from api.wiring import App
from dialogue.turn import Request, Turn
from semantic_layer.protocols import LOCAL

CHAIN = (
    "张江科技园2026年8月各楼栋空置房源数",
    "那这个月呢",
    "只看1号楼",
    "再加上空置面积",
    "算了，看看收缴率",
    "这个数怎么来的",
)


def run(app: App, ledger: str | None, once: bool) -> int:
    """Play the chain, replay its last answer, then serve the page until stopped, the conversation in its list.

    1 where a question was not answered or its replay is not the same; 2 where the page cannot be served.
    """
    session = app.sessions.open()
    turns = _played(app, session)
    if turns is None:
        return 1
    if once:
        return 0
    app.close()  # the service opens the same files
    from api.commands import serve

    return serve.page(ledger, session, turns)


def _played(app: App, session: str) -> list[Turn] | None:
    console = terminal()
    turns: list[Turn] = []
    for question in CHAIN:
        console.print(f"\n[bold]> {question}[/bold]")
        turn = app.sessions.take(session, Request(question), LOCAL, app.moment())
        if turn.outcome not in ("answer", "explain"):
            console.print(turn.text)
            return None
        turns.append(turn)
        show(console, app, turn)
    from api.commands.replay import replay_one

    answered = [turn for turn in turns if turn.outcome == "answer"][-1]
    console.print(f"\n[bold]$ wenshu replay {answered.turn_id}[/bold]")
    return turns if replay_one(app, answered.turn_id, console) else None
