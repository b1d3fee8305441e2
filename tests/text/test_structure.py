"""Structure: comments and layout apart, symbols by name (N3, N7)."""

from __future__ import annotations

import sys

import pytest

from ibid.text import structure
from ibid.text.structure import (
    GRAMMARS,
    SymbolChange,
    changed_symbols,
    find_outline,
    find_structure,
    language_of,
    missing_grammars,
)

# Per language: a text, the same in another layout with other comments, and another
# text; then the names of its symbols.
SAMPLES = {
    "python": (
        "LIMIT = 3\n\nclass Parcel:\n    def weigh(self, by=1):\n        return by\n",
        "# Grams.\nLIMIT = 3\nclass Parcel:\n  def weigh(\n      self, by=1):  # now\n"
        "\n    return by\n",
        "LIMIT = 3\n\nclass Parcel:\n    def weigh(self, by=2):\n        return by\n",
        ["LIMIT", "Parcel", "Parcel.weigh"],
    ),
    "javascript": (
        "const pack = (a) => a;\nclass Box { open() { return 1; } }\n",
        "/* x */ const pack =\n  (a) => a;\nclass Box {\n  open() { return 1; }//\n}\n",
        "const pack = (a) => a;\nclass Box { open() { return 2; } }\n",
        ["pack", "Box", "Box.open"],
    ),
    "typescript": (
        "interface Item { id: string }\nfunction find(id: string): Item { return 1 }",
        "// one\ninterface Item {\n  id: string\n}\nfunction find(id: string): Item"
        " {\n  return 1 }",
        "interface Item { id: string }\nfunction find(id: number): Item { return 1 }",
        ["Item", "find"],
    ),
    "tsx": (
        "export const Row = (p: P) => <td>{p.name}</td>;\n",
        "export const Row = (p: P) => /* cell */ <td>{p.name}</td>;\n",
        "export const Row = (p: P) => <th>{p.name}</th>;\n",
        ["Row"],
    ),
    "go": (
        "package box\ntype Box struct{n int}\nfunc (b *Box) Open() int { return 1 }\n",
        "package box\ntype Box struct{n int} // open\nfunc (b *Box) Open() int {\n"
        "\treturn 1\n}\n",
        "package box\ntype Box struct{n int}\nfunc (b *Box) Open() int { return 2 }\n",
        ["Box", "Box.Open"],
    ),
    "rust": (
        "struct Item;\nimpl Item { fn id(&self) -> u8 { 1 } }\n",
        "/// An item.\nstruct Item;\nimpl Item {\n    fn id(&self) -> u8 { 1 }\n}\n",
        "struct Item;\nimpl Item { fn id(&self) -> u8 { 2 } }\n",
        ["Item", "Item", "Item.id"],
    ),
    "java": (
        "class Box { int n = 1; int open() { return n; } }\n",
        "/** A box. */\nclass Box {\n  int n = 1;\n  int open() { return n; }\n}\n",
        "class Box { int n = 1; int open() { return 2; } }\n",
        ["Box", "Box.n", "Box.open"],
    ),
    "c": (
        "#define MOST 9\nstatic int *open_box(int n) { return 0; }\n",
        "#define MOST 9\n/* x */ static int *open_box(int n)\n{\n  return 0;\n}\n",
        "#define MOST 9\nstatic int *open_box(int n) { return 1; }\n",
        ["MOST", "open_box"],
    ),
    "cpp": (
        "namespace a { class Box { int open() { return 1; } }; }\n",
        "namespace a {\nclass Box { // x\n  int open() { return 1; } };\n}\n",
        "namespace a { class Box { int open() { return 2; } }; }\n",
        ["a", "a.Box", "a.Box.open"],
    ),
}


@pytest.mark.parametrize("language", GRAMMARS)
def test_comments_and_layout_do_not_count(language: str) -> None:
    """The fingerprint is that of the code; a changed value changes it (N3)."""
    text, laid_out, other, names = SAMPLES[language]
    own = find_structure(text, language)
    assert own.startswith(f"ts1:{language}:")
    assert find_structure(laid_out, language) == own
    assert find_structure(other, language) not in ("", own)
    assert [symbol.name for symbol in find_outline(text, language)] == names
    assert changed_symbols(text, laid_out, language) == []
    (change,) = changed_symbols(text, other, language)
    assert (change.name, change.change) == (names[-1], "changed")


def test_no_grammar_is_missing_where_the_tests_run() -> None:
    """The tests above judge grammars, not their absence."""
    assert missing_grammars() == []


@pytest.mark.parametrize(
    "text", ["x = ' '\n", "def f():\n  'a  b'\n", "if a:\n  b()\nc()\n", "a.b\n"]
)
def test_what_looks_like_layout_and_is_not(text: str) -> None:
    """Blanks in a string and indentation that carries meaning do count."""
    others = {
        text.replace("' '", "'  '"),
        text.replace("a  b", "a b"),
        text.replace("c()", "  c()"),
        text.replace("a.b", "a .c"),
    } - {text}
    for other in others:
        assert find_structure(other, "python") != find_structure(text, "python")


@pytest.mark.parametrize("text", ["def f(:\n", "class {", "x = (" * 50])
def test_a_text_that_does_not_parse_goes_by_content(text: str) -> None:
    """No structural claim is made about broken code (N3)."""
    assert find_structure(text, "python") == ""


def test_an_outline_tells_added_and_removed() -> None:
    """Nested symbols are told by themselves; their holder stays unchanged (N7)."""
    old = "class Mail:\n    def send(self): return 1\n    def drop(self): pass\n"
    new = "class Mail:\n    def send(self): return 2\n    def keep(self): pass\n"
    assert changed_symbols(old, new, "python") == [
        SymbolChange("Mail.send", True, "changed"),
        SymbolChange("Mail.keep", True, "added"),
        SymbolChange("Mail.drop", True, "removed"),
    ]


def test_a_function_within_a_function_is_part_of_it() -> None:
    """What stands in a function's body belongs to the function."""
    old = "def outer():\n    def inner(): return 1\n    return inner\n"
    new = old.replace("return 1", "return 2")
    assert changed_symbols(old, new, "python") == [
        SymbolChange("outer", True, "changed")
    ]


def test_a_language_without_grammar_has_an_outline_by_lines() -> None:
    """Lines that look like definitions do, indentation apart."""
    old = "fun weigh(a: Int): Int {\n    return a\n}\n\nfun pack() {\n}\n"
    new = old.replace("return a", "return a + 1").replace("fun pack", "  fun pack")
    assert find_structure(old, language_of("a.kt")) == ""
    assert changed_symbols(old, new, language_of("a.kt")) == [
        SymbolChange("weigh", True, "changed")
    ]


def test_without_tree_sitter_everything_goes_by_content(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The extra is optional: the outline stays, the structural claim does not."""
    structure._grammar.cache_clear()
    monkeypatch.setitem(sys.modules, "tree_sitter", None)
    text = SAMPLES["python"][0]
    assert find_structure(text, "python") == ""
    assert [one.name for one in find_outline(text, "python")] == [
        "LIMIT",
        "Parcel",
        "weigh",
    ]
    structure._grammar.cache_clear()


@pytest.mark.parametrize(
    "text",
    [
        "(" * 1_000_000,
        "def f(:\n" * 120_000,
        "x=[{(" * 40_000,
        "\"'" * 100_000,
        "if a:\n" + "".join(" " * n + "if a:\n" for n in range(1, 600)),
    ],
    ids=["parentheses", "errors", "nests", "quotes", "deep"],
)
def test_hostile_texts_come_to_an_end(text: str) -> None:
    """Long, broken and deeply nested texts neither hang nor overflow a stack."""
    assert isinstance(find_structure(text, "python"), str)
    assert isinstance(find_outline(text, "python"), list)
