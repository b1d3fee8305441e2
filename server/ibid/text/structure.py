"""What code says apart from comments and layout, and which of its symbols changed.

With a grammar (the extra ``ibid-memory[structure]``) tree-sitter reads the text.
Without one, or when the text does not parse, there is no structural fingerprint and
content decides (N3); the outline then comes from lines that look like definitions.
Nothing is imported before it is needed, and nothing is ever downloaded.
"""

from __future__ import annotations

from collections import Counter
from functools import lru_cache
from importlib import import_module
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, NamedTuple

from ibid.text.digest import digest
from ibid.text.symbols import find_definitions

if TYPE_CHECKING:
    from collections.abc import Iterable

MOST_BYTES = 250_000  # Longer texts are compared by content.

_SLICE = 1 << 16

ADDED, REMOVED, CHANGED = "added", "removed", "changed"

# Language -> module of its grammar, and the function in it.
GRAMMARS = {
    "python": ("tree_sitter_python", "language"),
    "javascript": ("tree_sitter_javascript", "language"),
    "typescript": ("tree_sitter_typescript", "language_typescript"),
    "tsx": ("tree_sitter_typescript", "language_tsx"),
    "go": ("tree_sitter_go", "language"),
    "rust": ("tree_sitter_rust", "language"),
    "java": ("tree_sitter_java", "language"),
    "c": ("tree_sitter_c", "language"),
    "cpp": ("tree_sitter_cpp", "language"),
}
_ENDINGS = {
    "python": "py pyi pyw",
    "javascript": "js jsx mjs cjs",
    "typescript": "ts mts cts",
    "tsx": "tsx",
    "go": "go",
    "rust": "rs",
    "java": "java",
    "c": "c",
    "cpp": "cc cpp cxx h hh hpp hxx",
}
_LANGUAGE_OF = {
    ending: language for language, all_ in _ENDINGS.items() for ending in all_.split()
}

# Nodes that define a symbol.  Into the first kind one looks for more.
_HOLDERS = frozenset(
    {
        *("class_definition", "class_declaration", "abstract_class_declaration"),
        *("class_specifier", "interface_declaration", "enum_declaration"),
        *("record_declaration", "internal_module", "annotation_type_declaration"),
        *("struct_specifier", "union_specifier", "impl_item", "mod_item"),
        *("trait_item", "namespace_definition"),
    }
)
_SINGLE = frozenset(
    {
        *("function_definition", "function_declaration"),
        *("generator_function_declaration", "method_definition"),
        *("method_declaration", "constructor_declaration", "function_signature"),
        *("type_alias_declaration", "type_spec", "type_alias", "const_spec"),
        *("var_spec", "assignment", "variable_declarator"),
        *("public_field_definition", "function_item", "struct_item", "enum_item"),
        *("union_item", "const_item", "static_item", "type_item"),
        *("macro_definition", "type_definition", "enum_specifier", "preproc_def"),
        "preproc_function_def",
    }
)
_WITH_BODY = frozenset(
    {"class_specifier", "struct_specifier", "union_specifier", "enum_specifier"}
)
_CALLED = frozenset({"function", "method", "constructor", "generator"})
_LAYOUT = frozenset({"line_continuation"})


class Symbol(NamedTuple):
    """A symbol, its lines from 1, and the fingerprint of what is its own."""

    name: str  # ``Uploader.send`` for what stands within ``Uploader``.
    callable: bool
    first: int
    last: int
    fingerprint: str


class SymbolChange(NamedTuple):
    """What became of one symbol."""

    name: str
    callable: bool
    change: str  # added | removed | changed


def language_of(path: str) -> str:
    """Return the language that a file's ending names, or "".

    >>> language_of("src/a.tsx"), language_of("README"), language_of("a.tar.gz")
    ('tsx', '', '')
    """
    name = path.replace("\\", "/").rpartition("/")[2]
    _, dot, ending = name.rpartition(".")
    return _LANGUAGE_OF.get(ending.lower(), "") if dot else ""


def missing_grammars() -> list[str]:
    """Return the languages that are read by content only, for want of a grammar."""
    if find_spec("tree_sitter") is None:
        return list(GRAMMARS)
    return [name for name, (module, _) in GRAMMARS.items() if find_spec(module) is None]


def find_structure(text: str, language: str) -> str:
    """Return a fingerprint of ``text`` apart from comments and layout, or "" (N3).

    "" when there is no grammar, the text is too long or does not parse without errors:
    then its content is its fingerprint.
    """
    parts = _parse(text, language)
    if parts is None:
        return ""
    return _whole(parts, language)


def _whole(parts: list[_Part], language: str) -> str:
    whole = "\x1e".join(f"{part.name}\x1f{part.text()}" for part in parts)
    return f"ts1:{language}:{_short(whole)}"


def find_outline(text: str, language: str) -> list[Symbol]:
    """Return the symbols that ``text`` defines, in order.

    A symbol's fingerprint leaves out the symbols within it, comments and layout.
    """
    found = outline_by_grammar(text, language)
    return outline_by_lines(text) if found is None else found


def outline_by_grammar(text: str, language: str) -> list[Symbol] | None:
    """Return the symbols as a grammar reads them; None where it cannot."""
    found = read_by_grammar(text, language)
    return None if found is None else found[1]


def read_by_grammar(text: str, language: str) -> tuple[str, list[Symbol]] | None:
    """Return the fingerprint of `find_structure` and the outline, from one reading."""
    parts = _parse(text, language)
    if parts is None:
        return None
    outline = [
        Symbol(part.name, part.called, part.first, part.last, _short(part.text()))
        for part in parts[1:]
    ]
    return _whole(parts, language), outline


def changed_symbols(old: str, new: str, language: str) -> list[SymbolChange]:
    """Return which symbols changed between two texts, in the order of the new one.

    Removed ones come last.  A symbol of which there are several (an overload) counts
    as changed if any of them did.
    """
    return _compared(find_outline(old, language), find_outline(new, language))


def changed_by_lines(old: str, new: str, language: str) -> list[SymbolChange]:
    """Return the same without a grammar, for whoever has no time to load one.

    Lines that are only a comment do not count.
    """
    marks = ("#",) if language == "python" else ("//", "/*", "*")
    texts = [
        "\n".join(
            line for line in text.split("\n") if not line.lstrip().startswith(marks)
        )
        for text in (old, new)
    ]
    return _compared(outline_by_lines(texts[0]), outline_by_lines(texts[1]))


def _compared(before: list[Symbol], after: list[Symbol]) -> list[SymbolChange]:
    was, now = _by_name(before), _by_name(after)
    found: list[SymbolChange] = []
    for name, symbol in {one.name: one for one in after}.items():
        if name not in was:
            found.append(SymbolChange(name, symbol.callable, ADDED))
        elif was[name] != now[name]:
            found.append(SymbolChange(name, symbol.callable, CHANGED))
    for name, symbol in {one.name: one for one in before}.items():
        if name not in now:
            found.append(SymbolChange(name, symbol.callable, REMOVED))
    return found


def _by_name(symbols: Iterable[Symbol]) -> dict[str, Counter[str]]:
    found: dict[str, Counter[str]] = {}
    for one in symbols:
        found.setdefault(one.name, Counter())[one.fingerprint] += 1
    return found


def _short(text: str) -> str:
    return digest(text.encode("utf-8", "replace"))[3:35]


# -- by grammar ------------------------------------------------------------------------


class _Part:
    """A symbol being read, or the whole text: what is its own, token by token."""

    __slots__ = ("called", "first", "last", "name", "tokens")

    def __init__(self, name: str, called: bool, first: int, last: int) -> None:
        self.name = name
        self.called = called
        self.first = first
        self.last = last
        self.tokens: list[str] = []

    def text(self) -> str:
        return "\x1f".join(self.tokens)


@lru_cache(maxsize=len(GRAMMARS))
def _grammar(language: str) -> Any | None:
    """Return a language's grammar, or None where it is missing or does not fit."""
    module, name = GRAMMARS.get(language, ("", ""))
    if not module:
        return None
    try:
        from tree_sitter import Language

        return Language(getattr(import_module(module), name)())
    except (ImportError, AttributeError, ValueError):
        return None  # `missing_grammars` says so; content decides.


def _parse(text: str, language: str) -> list[_Part] | None:
    """Return the whole text's part and then its symbols'; None if it cannot be read."""
    if not language or len(text) > MOST_BYTES:
        return None
    source = text.encode("utf-8", "replace")
    grammar = _grammar(language)
    if grammar is None or len(source) > MOST_BYTES:
        return None
    from tree_sitter import Parser

    try:
        # Recovering from errors is what takes its time: stop at the first.
        tree = Parser(grammar).parse(
            lambda start, _: source[start : start + _SLICE],
            progress_callback=lambda _, has_error: has_error,
        )
    except ValueError:
        return None
    return None if tree.root_node.has_error else _read(tree, source)


def _read(tree: Any, source: bytes) -> list[_Part]:
    """Walk the tree once; each token goes to the innermost symbol it stands in."""
    root = _Part("", False, 1, tree.root_node.end_point[0] + 1)
    parts = [root]
    # Of each open node: the part that goes on when it ends, and whether symbols may
    # stand in it.
    open_: list[tuple[_Part, bool]] = []
    here, looking = root, True
    cursor = tree.walk()
    while True:
        node = cursor.node
        entered = not _is_layout(node)
        if entered:
            open_.append((here, looking))
            part = _begin(node, here, source) if looking else None
            if part is not None:
                here.tokens.append("\x1d")
                parts.append(part)
                here, looking = part, node.type in _HOLDERS
            here.tokens.append(node.type)
            if node.child_count == 0:
                here.tokens.append(_text(node, source))
        if entered and cursor.goto_first_child():
            continue
        while True:
            if entered:
                here.tokens.append(")")
                here, looking = open_.pop()
            if cursor.goto_next_sibling():
                break
            if not cursor.goto_parent():
                return parts
            entered = True


def _is_layout(node: Any) -> bool:
    kind: str = node.type
    return (
        "comment" in kind
        or kind in _LAYOUT
        or (not node.is_named and not kind.strip("\r\n\t "))
    )


def _begin(node: Any, around: _Part, source: bytes) -> _Part | None:
    """Return the part of a node that defines a symbol, else None."""
    kind: str = node.type
    if kind not in _HOLDERS and kind not in _SINGLE:
        return None
    if kind in _WITH_BODY and node.child_by_field_name("body") is None:
        return None
    name = _name(node, source)
    if not name:
        return None
    if around.name:
        name = f"{around.name}.{name}"
    called = kind.partition("_")[0] in _CALLED or _holds_function(node)
    return _Part(name, called, node.start_point[0] + 1, node.end_point[0] + 1)


def _name(node: Any, source: bytes) -> str:
    """Return what a definition calls its symbol; "" for what is no plain name."""
    if node.type == "impl_item":
        names = [node.child_by_field_name(field) for field in ("trait", "type")]
        return " for ".join(_text(one, source) for one in names if one is not None)
    if node.type == "assignment":
        left = node.child_by_field_name("left")
        return _text(left, source) if left and left.type == "identifier" else ""
    receiver = node.child_by_field_name("receiver")
    owner = _text(receiver, source).strip("()").split(" ")[-1] if receiver else ""
    found = node.child_by_field_name("name")
    inner = node.child_by_field_name("declarator")
    while found is None and inner is not None:
        deeper = inner.child_by_field_name("declarator")
        if deeper is None:
            found = inner
        inner = deeper
    name = "" if found is None else _text(found, source)
    return f"{owner.lstrip('*')}.{name}" if owner and name else name


def _holds_function(node: Any) -> bool:
    value = node.child_by_field_name("value")
    return value is not None and value.type in (
        "arrow_function",
        "function_expression",
        "generator_function",
    )


def _text(node: Any, source: bytes) -> str:
    return source[node.start_byte : node.end_byte].decode("utf-8", "replace")


# -- by lines --------------------------------------------------------------------------


def outline_by_lines(text: str) -> list[Symbol]:
    """Return an outline from lines that look like definitions, each up to the next."""
    definitions = find_definitions(text)
    lines = text.split("\n")
    found = []
    for at, one in enumerate(definitions):
        end = definitions[at + 1].line if at + 1 < len(definitions) else len(lines)
        # Blank lines and indentation are layout; comments cannot be told apart here.
        own = [line.strip() for line in lines[one.line : max(end, one.line + 1)]]
        body = "\n".join(line for line in own if line)
        called = "(" in lines[one.line]
        found.append(Symbol(one.name, called, one.line + 1, end, _short(body)))
    return found
