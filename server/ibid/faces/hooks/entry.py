"""``ibid hook AGENT``: JSON on standard input, an answer or nothing on standard output.

It fails open (R3, G7): whatever happens, the exit status is 0, nothing but a whole
answer is printed, and one line in ``$IBID_HOME/log/hooks.log`` says what went wrong.
It waits 800 ms for a lock, and 1.5 s for everything.  What takes longer (importing,
settling, handoffs) goes on in a process of its own, `ibid.faces.hooks.after`.
"""

from __future__ import annotations

import json
import os
import sys
import threading
from typing import TYPE_CHECKING, NamedTuple, NoReturn

from ibid.faces.hooks import log

if TYPE_CHECKING:
    from ibid.agents.hooks import Adapter, Call
    from ibid.faces.hooks.answering import Served

HARD_STOP = 1.5  # Seconds.
MOST_INPUT = 32 * 1024 * 1024  # Bytes.
AFTER = "--after"


class Words(NamedTuple):
    """The command line behind ``ibid hook``."""

    agent: str = ""
    event: str = ""  # For agents that do not name it in their input.
    project: str = ""
    after: str = ""  # The call whose long work is to be done.


def main(given: list[str]) -> NoReturn:
    """Answer one call and leave, always with exit status 0."""
    words = parse(given)
    if words.after:
        from ibid.faces.hooks.after import run

        run(words.after)
        leave()
    stop = threading.Timer(HARD_STOP, _too_late, (words,))
    stop.daemon = True
    stop.start()
    try:
        answer = serve(words, sys.stdin.buffer.read(MOST_INPUT + 1))
        stop.cancel()
        if answer:
            _print(answer)
    except BaseException as error:  # Nothing may reach the agent (G7).
        log.write(words.agent, "", log.named(error))
    leave()


def leave() -> NoReturn:
    """Leave at once: nothing is left to clean up, and nothing may be printed."""
    os._exit(0)


def parse(given: list[str]) -> Words:
    """Return what the command line says; what is not understood is left out."""
    words, bare, rest = Words(), [], list(given)
    while rest:
        word = rest.pop(0)
        name, _, value = word.partition("=")
        if name in ("--project", AFTER):
            value = value or (rest.pop(0) if rest else "")
            words = words._replace(**{name.removeprefix("--"): value})
        elif not word.startswith("-"):
            bare.append(word)
    return words._replace(agent="".join(bare[:1]), event="".join(bare[1:2]))


def serve(words: Words, data: bytes) -> str:
    """Return what to print for one call, or "".

    Raises:
        InputError: no such agent.
    """
    from ibid.agents import hooks

    told = json.loads(data) if len(data) <= MOST_INPUT else None
    if type(told) is not dict:
        raise ValueError("the input is no JSON object")
    agent = hooks.recognise(words.agent, told)
    adapter = hooks.load_adapter(agent)
    if words.event:
        told[hooks.EVENT] = words.event
    call = adapter.from_hook(told, os.environ)
    if call is None:
        return ""
    call = call._replace(cwd=words.project or call.cwd or os.getcwd())
    served = _served(call, adapter)
    _shake_hands(call)
    if served.troubles:
        log.write(call.agent, call.moment, *served.troubles)
    if not served.text:
        return ""
    return json.dumps(adapter.to_hook(call, served.text), ensure_ascii=False)


def _shake_hands(call: Call) -> None:
    """Note that this hook really ran: what `ibid doctor` believes."""
    import time

    from ibid.store import handshakes, projects

    now = int(time.time() * 1000)
    handshakes.record(projects.home_folder(), call.agent, call.event, now)


def _served(call: Call, adapter: Adapter) -> Served:
    from ibid.faces.hooks import answering

    served = answering.serve(call, adapter.may_answer(call))
    if served.after:
        from ibid.faces.hooks.detached import start

        # The prompt is nobody's business in a list of processes.
        work = {**call._replace(prompt="")._asdict(), "tasks": served.after}
        start(["hook", call.agent, AFTER, json.dumps(work)])
    return served


def _print(answer: str) -> None:
    """Write the whole answer to standard output."""
    data = answer.encode("utf-8", "replace")
    while data:
        data = data[os.write(1, data) :]


def _too_late(words: Words) -> None:
    """Give up: the agent must not wait."""
    log.write(words.agent, "", "it took longer than 1.5 s")
    leave()
