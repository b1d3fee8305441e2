"""Who is speaking in Codex's rollouts, and what a person says through tools (B2)."""

from __future__ import annotations

import json

import pytest
from records import of, read
from rollouts import PATH, Rollout

from ibid.agents import events as e
from ibid.agents.codex import transcript as codex
from ibid.agents.codex.speaker import fragment_of, listen

OWN = '<ibid-recall nonce="k">\n[L1] Use tabs.\n</ibid-recall k>'


@pytest.mark.parametrize(
    "text",
    [
        "<environment_context>\n<cwd>/x</cwd>",
        "# AGENTS.md instructions for /x\n\n<INSTRUCTIONS>always</INSTRUCTIONS>",
        "  <user_instructions>never</user_instructions>",
        "<turn_aborted>\nstopped",
        "<skill>\n<name>x</name>",
        "<user_shell_command>\nls",
        "<SUBAGENT_NOTIFICATION>{}",
        '<codex_internal_context source="goal">',
        '<hook_prompt hook_run_id="1">retry</hook_prompt>',
    ],
)
def test_what_the_harness_puts_there_is_not_a_persons(text: str) -> None:
    """It is injected, whether the model or the client tells of it."""
    assert fragment_of(text)
    log = Rollout()
    log.meta()
    log.begin()
    log.message("user", text)
    log.event("user_message", message=text)
    batch = read(codex, log.data(), PATH)
    assert of(batch, e.Prompt) == []
    assert [one.text for one in of(batch, e.Injected)] == [text, text]


@pytest.mark.parametrize("kind", ["environment_context", "user_instructions"])
def test_the_kind_that_early_versions_name_is_believed(kind: str) -> None:
    """A message that is said to be no plain one is nobody's words."""
    assert listen({"message": "Always.", "kind": kind}).text == ""
    assert listen({"message": "Always.", "kind": "plain"}).text == "Always."


def test_the_editors_context_is_cut_off() -> None:
    """Only what stands behind the editor's heading was typed."""
    text = (
        "# Context from my IDE setup:\n\n## Active file: src/a.py\n\n"
        "## Open tabs:\n- b.py: b.py\n\n## My request for Codex:\nUse spaces here.\n"
    )
    heard = listen({"message": text})
    assert heard.text == "Use spaces here."
    assert heard.flags == (e.FILES,)
    assert "src/a.py" in heard.injected[0][1]
    empty = "# Context from my IDE setup:\n\n## My request for Codex:\nGo."
    assert (listen({"message": empty}).text, listen({"message": empty}).flags) == (
        "Go.",
        (),
    )


def test_a_heading_of_ones_own_is_ones_own() -> None:
    """A prompt that begins with a heading is not taken for the editor's context."""
    text = "# Plan\nUse spaces.\n## Tests\nUse tabs."
    assert listen({"message": text}).text == text


def test_an_accepted_plan_is_not_typed() -> None:
    """The client's request to carry a plan out is the harness's, the plan is kept."""
    heard = listen({"message": "PLEASE IMPLEMENT THIS PLAN:\n# Tabs\nAlways tabs."})
    assert (heard.voice, heard.author) == (e.INJECTED, "harness")
    assert heard.plan == "# Tabs\nAlways tabs."
    assert listen({"message": "Implement the plan."}).voice == e.INJECTED
    assert listen({"message": "Implement the plan. But slowly."}).voice == e.TYPED


def test_a_block_of_ours_is_taken_out_and_marked() -> None:
    """Recalled memory teaches nothing, pasted or injected."""
    heard = listen({"message": f"{OWN}\nUse spaces."})
    assert (heard.text, heard.injected) == ("Use spaces.", (("ibid", OWN),))
    log = Rollout()
    log.meta()
    log.message("developer", OWN)
    assert [one.own for one in of(read(codex, log.data(), PATH), e.Injected)] == [True]


def test_images_and_words_are_one_prompt() -> None:
    """An image marks its prompt; an image alone is a prompt too."""
    assert listen({"message": "[Image #1] Center it", "images": ["x"]}).flags == (
        e.IMAGES,
    )
    log = Rollout()
    log.meta()
    log.begin()
    log.event("user_message", message="", local_images=["/tmp/a.png"])
    [prompt] = of(read(codex, log.data(), PATH), e.Prompt)
    assert (prompt.text, prompt.flags) == ("", (e.IMAGES,))


def test_only_free_text_of_an_answer_is_a_persons() -> None:
    """A chosen label is the agent's wording; a note beside it was typed."""
    log = Rollout()
    log.meta()
    log.begin()
    log.ask("Ask me.")
    questions = [
        {"id": "a", "question": "Which?", "options": [{"label": "Red"}]},
        {"id": "b", "question": "Where?", "options": []},
    ]
    log.call("q1", "request_user_input", questions=questions)
    replies = {
        "a": {"answers": ["Red", "user_note: but never on Fridays"]},
        "b": {"answers": ["In the cellar"]},
    }
    log.output("q1", json.dumps({"answers": replies}))
    log.call("q2", "request_user_input", questions=questions)
    log.output("q2", json.dumps({"answers": {"a": {"answers": ["Red"]}}}))
    found = of(read(codex, log.data(), PATH), e.Prompt)[1:]
    assert [(prompt.text, prompt.voice) for prompt in found] == [
        ("but never on Fridays\nIn the cellar", e.ANSWER)
    ]


def test_a_plan_the_agent_made_is_kept_for_the_handoff() -> None:
    """The item of a finished plan is told nowhere else."""
    log = Rollout()
    log.meta()
    log.event("item_completed", item={"type": "Plan", "id": "p1", "text": "# Tabs"})
    assert [todo.plan for todo in of(read(codex, log.data(), PATH), e.Todo)] == [
        "# Tabs"
    ]
