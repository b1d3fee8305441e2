"""Note files: a strict little front matter, and rewriting that changes no more (O1)."""

from __future__ import annotations

import string

from hypothesis import given, settings
from hypothesis import strategies as st

from ibid.files import notes as files

WHOLE = b"""---
# my own comment
id: n-25abcdefgh
category: "decision"
pinned: true
tags:
  - gotcha
  - 'two words'
about: [src/a.py, src/b.py#send]
mood: sunny
---

We store parcels in Postgres.
Never in SQLite.
"""


def test_a_note_file_is_read() -> None:
    """Scalars, both kinds of lists, comments; what is unknown is told, not lost."""
    note = files.parse(WHOLE)
    assert note.fields == {
        "id": "n-25abcdefgh",
        "category": "decision",
        "pinned": True,
        "tags": ("gotcha", "two words"),
        "about": ("src/a.py", "src/b.py#send"),
    }
    assert note.body == "We store parcels in Postgres.\nNever in SQLite."
    assert [(one.line, "mood" in one.message) for one in note.problems] == [(9, True)]


def test_what_is_no_front_matter_is_text() -> None:
    """No fence, no end, or one too long: all of it is the note's words (R6)."""
    for text in (
        "Just words.",
        "---\nid: n-25abcdefgh\nno end",
        "---\n" + "a: b\n" * 50_000 + "---\nx",
        "\n---\nid: x\n---\n",
    ):
        note = files.parse(text.encode())
        assert note.fields == {}
        assert note.body == text.strip()
        assert note.header == 0


def test_what_yaml_could_do_is_not_done() -> None:
    """Aliases, tags, blocks and maps are refused with their line."""
    given = (
        b"---\ncategory: &a decision\ntags: *a\nrole: !!python/object/apply:os.system\n"
        b"about: {a: b}\nid: |\n  n-25abcdefgh\n---\nx\n"
    )
    note = files.parse(given)
    assert note.fields == {}
    assert {one.line for one in note.problems} == {1, 2, 3, 4, 5, 6}


def test_wrong_values_are_told_by_line() -> None:
    """A category that is none, a flag that is none, an id of another kind, a double."""
    given = b"---\ncategory: rumour\npinned: maybe\nid: ../x\nrole: a\nrole: b\n---\nx"
    note = files.parse(given)
    assert note.fields == {"role": "a"}
    assert [one.line for one in note.problems] == [1, 2, 3, 5]


def test_rewriting_changes_only_what_it_must() -> None:
    """Comments, order, unknown keys and the body stay byte for byte."""
    new = files.rewritten(WHOLE, {"pinned": "", "category": "fact"}, None)
    expected = WHOLE.replace(b'category: "decision"', b"category: fact")
    assert new == expected.replace(b"pinned: true\n", b"")
    tags = files.rewritten(WHOLE, {"tags": ("one",)}, None)
    assert b"tags: [one]\nabout:" in tags
    body = files.rewritten(WHOLE, {}, "New words.")
    assert body.endswith(b"mood: sunny\n---\n\nNew words.\n")


def test_line_ends_and_marks_stay() -> None:
    """A file of Windows stays one, with its byte order mark."""
    given = b"\xef\xbb\xbf" + WHOLE.replace(b"\n", b"\r\n")
    new = files.rewritten(given, {"role": "reviewer"}, "New\nwords.")
    assert new.startswith(b"\xef\xbb\xbf---\r\n")
    assert b"\n" not in new.replace(b"\r\n", b"")
    assert files.parse(new).fields["role"] == "reviewer"
    assert files.parse(new).body == "New\nwords."


@settings(max_examples=80, deadline=None)
@given(
    st.text(min_size=1, max_size=30),
    st.lists(st.text(min_size=1, max_size=12), max_size=4),
)
def test_what_is_written_is_read_again(role: str, tags: list[str]) -> None:
    """Any words survive being a field."""
    role = " ".join(role.split())
    tags = [tag for tag in (" ".join(one.split()) for one in tags) if tag]
    fields: dict[str, files.Value] = {"role": role, "tags": tuple(tags)}
    plain = "".join(ch for ch in role + "".join(tags) if not ch.isprintable())
    note = files.parse(files.render(fields, "body"))
    if not plain:
        assert note.text("role") == role
        assert note.items("tags") == tuple(tags)
    assert note.body == "body"


@settings(max_examples=80, deadline=None)
@given(st.text(max_size=300), st.text(alphabet=string.ascii_lowercase, min_size=6))
def test_names_are_safe_everywhere(text: str, tail: str) -> None:
    """Plain ASCII, short, never a reserved name, different from what is there (R4)."""
    name = files.file_name(text, f"n-{tail}")
    assert set(name) <= set(string.ascii_lowercase + string.digits + "-.")
    assert len(name) <= files.LONGEST_NAME
    assert name.partition(".")[0] not in ("con", "aux", "nul", "prn", "com1")
    other = files.file_name(text, f"n-{tail}", [name.upper()])
    assert other != name
    assert files.is_note_name(name)


def test_copies_and_temporary_files_are_no_notes() -> None:
    """What editors and we leave beside a note is not read as one."""
    for name in (".a.md.swp", ".a.md", "~a.md", "a.conflict-01234567.md", "a.txt"):
        assert not files.is_note_name(name)
    assert not files.is_note_name("new\nline.md")
