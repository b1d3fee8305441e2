"""Regions of a prompt that nobody typed (B2, B5)."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ibid.text.regions import ignored_regions, quotations, recall_traces
from ibid.text.view import view_of


def visible(prompt: str) -> str:
    """Return what is left of a prompt, its lines stripped and joined."""
    left = list(prompt)
    for region in ignored_regions(prompt):
        for at in range(region.start, region.end):
            left[at] = "\n" if prompt[at] == "\n" else " "
    return " ".join("".join(left).split())


PASTED = [
    "```\nnever\n```",
    "~~~\nnever\n~~~",
    "```\nnever closed",
    "> never",
    ">> never",
    "- > never",
    "＞ never",
    "    never(run)",
    "\tnever(run)",
    'Traceback (most recent call last):\n  File "a.py", line 1, in b\nKeyError:'
    " 'never'",
    "2026-01-02 03:04:05 INFO never",
    "[2026-01-02T03:04:05Z] never",
    "03:04:05.678 WARN never",
    "ERROR: never",
    "[error] never",
    "error: never",
    "fatal: never",
    "warning: never",
    "app.ts:3:14 - error TS9999: never",
    "lib/a.c:10:2: never",
    "error[E0499]: never",
    "E   AssertionError: never",
    "java.lang.IllegalStateException: never",
    "    at com.example.A.b(A.java:10)",
    "Uncaught TypeError: never",
    "npm ERR! never",
    "$ make\nnever",
    "~/src $ make\nnever",
    "me@box:~/src$ make\nnever",
    ">>> never()\nnever",
    "PS C:\\src> make\nnever",
    "make: *** never",
    "diff --git a/x b/x\n@@ -1 +1 @@\n-never\n+always",
    "const a = never();",
    "def never():\n    return 1",
    "// never",
    "/* never */",
    "if (never) {",
    "| never | x |",
    '{"never": true}',
    "<rule>\nnever\n</rule>",
    "<system-reminder>never</system-reminder>",
    "<system-reminder>\nnever ends",
    "报错：never",
]


@pytest.mark.parametrize("pasted", PASTED)
def test_pasted_text_is_ignored(pasted: str) -> None:
    """Code, logs, quotes, sessions and injected blocks are not the person's (B5)."""
    assert "never" not in visible(pasted)


@pytest.mark.parametrize(
    "pasted", [p for p in PASTED if "ends" not in p and "closed" not in p]
)
def test_words_after_a_paste_are_seen(pasted: str) -> None:
    """What is typed in the next paragraph counts again (B2)."""
    assert visible(f"{pasted}\n\nPlease look at it.").endswith("Please look at it.")


TYPED = [
    "Error handling: wrap everything",
    "ERROR handling must be uniform",
    "at least one reviewer (me) must agree",
    "- one\n    - two",
    "Use <Layout> around pages",
    "if foo() is called, lock first",
    "let's say the limit is five",
    "a <b>bold</b> word",
    "it is 5 > 4",
    "import order: stdlib first",
    "Rules for the error output:\n- be brief",
    "The following rules apply:\n- be brief",
    "规则如下：\n- 简短",
    "don't do 'this or that' now",
]


@pytest.mark.parametrize("typed", TYPED)
def test_typed_text_is_seen(typed: str) -> None:
    """What only looks like a paste stays visible (B5)."""
    assert visible(typed) == " ".join(typed.split())


@pytest.mark.parametrize(
    "lead",
    [
        "I get this error:",
        "The output:",
        "it says:",
        "It crashed with:",
        "日志：",
        "报错如下：",
    ],
)
def test_announced_paste_is_ignored(lead: str) -> None:
    """The paragraph after a line that announces a paste is one (B5)."""
    assert visible(f"{lead}\nnever\nnever\n\nafter") == f"{lead} after"
    assert visible(f"{lead}\n```\nx\n```\n\nafter") == f"{lead} after"


def test_traces_of_a_block() -> None:
    """From its opening mark up to its end mark a recalled block is one region (G6)."""
    text = 'before\n\n<ibid-recall nonce="a1">\n\nx\n</ibid-recall a1>\n\nafter'
    (trace,) = recall_traces(text)
    assert text[: trace.start] == "before\n\n"
    assert text[trace.end :] == "\n\nafter"


QUOTES = [
    ('say "never" now', ['"never"']),
    ("say 'never' now", ["'never'"]),
    ("say “never” now", ["“never”"]),
    ("say «never» now", ["«never»"]),
    ("说「不要」吧", ["「不要」"]),
    ("说“不要”吧", ["“不要”"]),
    ("don't and won't", []),
    ("the users' rights", []),
    ('5" and 6" wide', []),
    ('an "open one\n\nand "another', []),
]


@pytest.mark.parametrize(("text", "expected"), QUOTES)
def test_quotations(text: str, expected: list[str]) -> None:
    """Quotation marks pair within a paragraph; apostrophes and inches do not (B5)."""
    assert [text[q.start : q.end] for q in quotations(text)] == expected


@given(st.text(max_size=200))
def test_regions_are_in_order(text: str) -> None:
    """Regions lie in the prompt, in order, without overlap, whatever the text (B5)."""
    at = 0
    for region in ignored_regions(text):
        assert at <= region.start < region.end <= len(text)
        at = region.end


@given(st.text(max_size=200))
def test_view_keeps_offsets(text: str) -> None:
    """The view of a text is as long as the text (B4)."""
    assert len(view_of(text)) == len(text)


@pytest.mark.parametrize(
    "unit", ['"', "'a ", "<a>", "<a1>", "``` \n", "> ", "(", "`` ` "]
)
def test_long_prompts_are_read(unit: str) -> None:
    """Marks that never close are read in linear time."""
    assert isinstance(ignored_regions(unit * (300_000 // len(unit))), list)
    assert isinstance(quotations(unit * (300_000 // len(unit))), list)
