"""Regions of a prompt that are not the person's own words.

Capture reads what was typed and only that (B2), so that pasted logs, code, quotations,
blocks injected by an agent's host and our own recalled blocks are left out (B5).  All
offsets are characters of the prompt; every function is linear in its length.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

from ibid.text.segments import Span, fences, inline_code
from ibid.text.view import view_of


class _Line(NamedTuple):
    start: int
    end: int
    text: str


def ignored_regions(prompt: str) -> list[Span]:
    r"""Return the regions of ``prompt`` that teach nothing, in order, not overlapping.

    Kinds: ``recall`` (a block of ours, or what looks like one), ``injected`` (blocks in
    angle brackets), ``fence``, ``code``, ``quote`` and ``log``.  Rules: B2, B5.

    >>> [(r.kind, r.start) for r in ignored_regions("> so they say\nNever do it.")]
    [('quote', 0)]
    """
    found = [*recall_traces(prompt), *_injected(prompt)]
    found += fences(_blank(prompt, found))
    found = _merge([*found, *_pasted_lines(_blank(prompt, found))])
    # A backtick run may only pair inside what is left.
    long_code = [
        Span(span.start, span.end, "fence")
        for span in inline_code(_blank(prompt, found))
        if prompt.startswith("```", span.start)
    ]
    return _merge([*found, *long_code])


def quotations(text: str) -> list[Span]:
    r"""Return what stands between quotation marks in ``text``, marks included.

    A quotation stays within one paragraph and below 1,000 characters; apostrophes open
    none.  Rule: B5.

    >>> quotations('never "x", don\'t')[0][:2]
    (6, 9)
    """
    found: list[Span] = []
    ends: dict[str, list[int]] = {}
    at = 0
    paragraph = 0
    for opening in _opening_marks().finditer(text):
        start = opening.start()
        if start < at:
            continue
        if start >= paragraph:
            paragraph = _paragraph_end(text, start)
        close = _CLOSING[opening.group()]
        if close not in ends:
            ends[close] = [m.end() for m in _closing_mark(close).finditer(text)]
        next_end = bisect_right(ends[close], start + 1)
        if next_end < len(ends[close]):
            end = ends[close][next_end]
            if end <= min(paragraph, start + _MAX_QUOTE):
                at = end
                found.append(Span(start, at, "quote"))
    return found


def _blank(text: str, spans: list[Span]) -> str:
    """Return ``text`` with ``spans`` emptied, line breaks kept."""
    parts: list[str] = []
    at = 0
    for span in sorted(spans):
        if span.end <= at:
            continue
        start = max(span.start, at)
        parts += [text[at:start], re.sub(r"[^\n]", _GONE, text[start : span.end])]
        at = span.end
    return "".join([*parts, text[at:]])


# Fills what is already known to be ignored; lines of it end what a line announced.
_GONE = "\0"


def _merge(spans: list[Span]) -> list[Span]:
    merged: list[Span] = []
    for span in sorted(spans):
        if merged and span.start < merged[-1].end:
            last = merged[-1]
            merged[-1] = Span(last.start, max(last.end, span.end), last.kind)
        elif span.end > span.start:
            merged.append(span)
    return merged


# -- quotation marks -----------------------------------------------------------

_MAX_QUOTE = 1000
_CLOSING = {
    '"': '"',
    "'": "'",
    "“": '[”“"]',
    "„": '[“”"]',
    "‘": "’",
    "«": "»",
    "‹": "›",
    "「": "」",
    "『": "』",
    "《": "》",
    "〈": "〉",
    "＂": "＂",
}


@lru_cache(maxsize=1)
def _opening_marks() -> re.Pattern[str]:
    return re.compile(
        r"[“„«‹「『《〈＂]|(?<![\w'\"’)\]])[\"'‘](?=[^\s\"'])|(?<=[\u3000-\u9fff])\""
    )


@lru_cache(maxsize=16)
def _closing_mark(close: str) -> re.Pattern[str]:
    if close in ("'", "’"):
        return re.compile(rf"(?<=[^\s]){close}(?!\w)")
    return re.compile(close)


# -- our own blocks, and what hosts inject -------------------------------------

_LESS = "(?:[<‹〈﹤❮⟨]|&lt;?|\\\\u003[cC]|\\\\x3[cC])"


@lru_cache(maxsize=1)
def _trace() -> re.Pattern[str]:
    return re.compile(
        rf"{_LESS}\s*/?\s*ibid-\s*recall"
        r"|untrusted\s+recalled\s+context"
        r"|merely\s+because\s+memory\s+surfaced"
        r"|[\[⟦]\s*L[0-3]\s+(?:constraint|preference|decision|fact|manual|episode"
        r"|profile"
        r"|transcript|[a-z]+)\s+[a-z]{1,2}-[0-9a-z]{2,}"
        r"|\\?\"layer\\?\"\s*:\s*\\?\"L[0-3]\\?\""
        r"|ibid-recall\s+(?:receipt|nonce)|#\s*Handoff\s+·"
        r"|\((?:you|n-[0-9a-z]{4,}),[^()\n]{0,60}turn\s+\d+\)",
        re.IGNORECASE,
    )


def recall_traces(text: str) -> list[Span]:
    """Return where ``text`` repeats a recalled block of ours, as whole paragraphs.

    A block is known by its fence, however it is spelled, by its label and by the heads
    of its items, also when it was quoted, wrapped anew or turned into JSON; from an
    opening fence on everything up to the end mark belongs to it, or up to the end of
    the text where that mark is missing.  Rules: B2, G6.
    """
    found: list[Span] = []
    at = 0
    text = view_of(text)
    for trace in _trace().finditer(text):
        if trace.start() < at:
            continue
        start = text.rfind("\n\n", at, trace.start())
        start = at if start < 0 else start + 2
        if re.match(rf"{_LESS}\s*ibid", trace.group(), re.IGNORECASE):
            start = text.rfind("\n", at, trace.start()) + 1
            start = max(start, at)
            at = _block_end(text, trace.end())
        else:
            at = _paragraph_end(text, trace.end())
        found.append(Span(start, at, "recall"))
    return found


@lru_cache(maxsize=1)
def _end_mark() -> re.Pattern[str]:
    return re.compile(
        rf"{_LESS}\s*\\?/\s*ibid-\s*recall[^>＞&\n\\]*(?:[>›]|&gt;|\\u003[eE])?"
        r"[^\n]*",
        re.IGNORECASE,
    )


def _block_end(text: str, at: int) -> int:
    end = _end_mark().search(text, at)
    return end.end() if end else len(text)


def _paragraph_end(text: str, at: int) -> int:
    end = text.find("\n\n", at)
    return len(text) if end < 0 else end


# Tags of prose: what they enclose was typed.
_PROSE_TAGS = frozenset({"b", "i", "em", "strong", "u", "p", "br", "kbd", "sub", "sup"})
_MAX_TAGS = 64
# Tags that only a host writes: without an end mark they reach to the end.
_HOST_TAG = re.compile(
    r"system|reminder|command|stdout|stderr|hook|context|ide_|caveat"
)


@lru_cache(maxsize=1)
def _tags() -> re.Pattern[str]:
    return re.compile(r"<(/?)([A-Za-z][\w.:-]{0,60})((?:\s[^<>]{0,500})?)(/?)>")


def _injected(text: str) -> list[Span]:
    """Return the blocks between an opening tag and its end tag."""
    opened: dict[str, int] = {}
    found: list[Span] = []
    for tag in _tags().finditer(text):
        name = tag[2].lower()
        if name in _PROSE_TAGS or tag[4]:
            continue
        if not tag[1]:
            if len(opened) < _MAX_TAGS:
                opened.setdefault(name, tag.start())
        elif name in opened:
            start = opened[name]
            opened = {key: at for key, at in opened.items() if at < start}
            found.append(Span(start, tag.end(), "injected"))
    for name, start in opened.items():
        if _HOST_TAG.search(name) and re.search(r"[-_]", name):
            found.append(Span(start, len(text), "injected"))
    return _merge(found)


# -- pasted lines --------------------------------------------------------------


def _pasted_lines(text: str) -> list[Span]:
    """Return the quoted, logged and coded lines of ``text``."""
    found: list[Span] = []
    reader = _Reader()
    for line in _lines(text):
        kind = reader.kind(line.text)
        if kind:
            found.append(Span(line.start, line.end, kind))
    return found


def _lines(text: str) -> Iterator[_Line]:
    at = 0
    for raw in text.splitlines(keepends=True):
        body = raw.rstrip()
        yield _Line(at, at + len(body), body)
        at += len(raw)


class _Reader:
    """Reads a prompt line by line and says of each what it is.

    State: whether the lines up to the next blank one are pasted (``until_blank``), and
    whether a list is open, in which indented lines are items and not code.
    """

    def __init__(self) -> None:
        self.until_blank = ""
        self.announced = False
        self.in_list = False
        self.before = ""

    def kind(self, line: str) -> str:
        """Return the kind of ``line``, or an empty string if the person typed it."""
        if not line.strip(_GONE + " \t"):
            self.announced = self.announced and not line
            self.until_blank = ""
            self.before = ""
            return ""
        found = self._kind(line)
        self.before = found
        return found

    def _kind(self, line: str) -> str:
        if self.until_blank:
            return self.until_blank
        if self.announced:
            self.announced = False
            self.until_blank = "log"
            return "log"
        if self._opens_paste(line):
            self.until_blank = "log"
            return "log"
        if _quote_line().match(line):
            return "quote"
        if _list_line().match(line):
            self.in_list = True
        elif not line[:1].isspace():
            self.in_list = False
        if _log_line().search(line):
            return "log"
        if self._is_code(line):
            return "code"
        self.announced = bool(_announcement().search(line))
        return ""

    def _opens_paste(self, line: str) -> bool:
        return bool(_paste_line().match(line))

    def _is_code(self, line: str) -> bool:
        if re.match(r"(?: {4}|\t| {2,3}\t)", line):
            return not self.in_list
        if self.before == "code" and re.match(r"\s*[#})\]]", line):
            return True
        return bool(_code_line().search(line))


@lru_cache(maxsize=1)
def _quote_line() -> re.Pattern[str]:
    return re.compile(r"\s*(?:[-*]\s+)?[>＞](?![=])")


@lru_cache(maxsize=1)
def _list_line() -> re.Pattern[str]:
    return re.compile(r"\s*(?:[-*+•]\s|\(?\d{1,3}[.)]\s|\(?[a-z][.)]\s)")


@lru_cache(maxsize=1)
def _paste_line() -> re.Pattern[str]:
    """Return what begins a paste that lasts until a blank line."""
    return re.compile(
        r"\s*(?:"
        r"(?:\([\w.-]+\)\s*)?[\w.-]+@[\w.-]+[: ]\S*\s*[$#%❯]\s+\S"
        r"|[~/][\w./~-]*\s*(?:\([\w/.-]+\)\s*)?[$%❯#]\s+\S"
        r"|[$❯➜]\s+\S|PS [A-Za-z]:\\[^>]*>|[A-Za-z]:\\[^>]*>|>>>\s|In \[\d+\]:"
        r"|Traceback \(most recent call last\)"
        r"|(?:Exception in thread|Caused by:|panic:|goroutine \d|Stack ?trace:?\s*$)"
        r"|thread '[^']*' panicked"
        r"|diff --git |@@ -\d|Index: \S+$"
        r"|[\w.]+(?:Error|Exception)(?::|$)"
        r")"
    )


_LEVEL = r"(?:ERROR|WARN(?:ING)?|INFO|DEBUG|TRACE|FATAL|CRITICAL|NOTICE|SEVERE)"


@lru_cache(maxsize=1)
def _log_line() -> re.Pattern[str]:
    """Return what marks a single line as output of a program."""
    return re.compile(
        r"^\s*(?:"
        r"[\[(]?\d{4}[-/]\d\d?[-/]\d\d?[T ]\d\d?:\d\d"
        r"|[\[(]?\d\d:\d\d:\d\d[\]).,\s]"
        r"|[A-Z][a-z]{2}\s+\d\d?\s\d\d:\d\d:\d\d\s"
        rf"|[\[(<]?{_LEVEL}(?:[\])>:|]|\s{{2,}}\S|\s+[\d\[(<]|\s+-\s|\s+[\w.]+:\s)"
        r"|(?i:error|fatal|err|exception|remote|panic)"
        r"(?:\[\w+\]|\s*\(\w+\)|\s+\w*\d+)?\s*!?:\s"
        r"|(?:warning|warn|Warning|debug)(?:\[[\w-]+\])?:\s"
        r"|(?:npm|yarn|pnpm)\s+(?:ERR|WARN|error|warn)"
        r"|(?i:access|permission|connection|request|authentication)"
        r" (?i:denied|refused|failed|forbidden|timed out)\b|[45]\d\d [A-Z][a-z]+:"
        r"|(?:Uncaught|Unhandled)\s|[A-Z]\d{3,4}:?\s|TS\d{4}:\s|E\s{3,}\S"
        r"|FAILED\s|FAIL(?:ED)?:|---\s?FAIL"
        r"|PASS(?:ED)?\s|not ok \d|ok \d"
        r"|[✗✘✖✕✓✔]\s|\[[\w.:-]+\]\s+(?:warning|error|info|debug|warn|fatal)\b"
        r"|\S{1,60}: (?:FATAL|ERROR|WARN\w*|error|warning|fatal|cannot|could not"
        r"|no such)\b"
        r"|[a-z]+:[a-z][\w/.:-]*: \S"
        r"|at\s+[^()]{1,80}\([^)]*(?::\d+|[Nn]ative|Unknown Source|<anonymous>)[^)]*\)"
        r"|at\s+\S+:\d+:\d+|File \"[^\"]+\", line \d+"
        r"|make(?:\[\d+\])?:\s|(?:ba|z|c)?sh:\s|\w+: command not found"
        r"|\[(?:error|warn|warning|info|debug|\d+/\d+)\]\s"
        r"|(?:错误|錯誤|警告|异常|異常|报错|報錯)\s*[:：]\s*\S"
        r")"
        r"|^\S+?[:(]\d+(?:[:,]\d+)?\)?:?\s+(?:-\s+)?(?:error|warning|note|[A-Z]+\d+)\b"
        r"|^\S+\.\w+:\d+(?::\d+)?:\s"
        r"|\berror (?:TS|CS|LNK|C)\d+:|\b[Ee]xit(?:ed with)? (?:code|status) \d"
        r"|^[\w./ -]*\b\w+(?:Error|Exception): "
    )


_KEYWORD = (
    r"(?:def|class|func|fn|function|const|let|var|public|private|protected|static"
    r"|struct|enum|impl|interface|namespace|package|export|async|assert|return|raise"
    r"|throw|await|import|from|type|if|for|while|elif|else|try|with|except|catch"
    r"|switch|case|match|print)"
)


@lru_cache(maxsize=1)
def _code_line() -> re.Pattern[str]:
    """Return what marks a single line as code, markup or data."""
    return re.compile(
        r"^\s*(?://|/\*|\*/|\*\s@|#!|<!--|<\?|<!\w|@\w+(?:\([^)]*\))?$|\}|\{\s*$|\);?$)"
        r"|^\s*[\[{]\s*[\"{\[]|^\s*\"[\w.-]+\"\s*:\s|^\s*\|.*\|\s*$|^\+\+\+ |^--- a/"
        r"|[)\]}\"'\w]\s?;\s*$|[)\w>]\s*\{\s*$"
        rf"|^\s*{_KEYWORD}\b.*(?:[;{{(]\s*$|\)\s*:\s*$|\w\s=\s\S"
        r"|=>|->|:=|==|!=|&&|\|\|)"
        r"|^\s*assert\s+\w|^import\s+[\w{*]+(?:\s+from\b|;|$)|^from\s+[\w.]+\s+import\b"
        r"|^\s*[\w.\[\]]+\s*(?::?=|\+=)\s*\S|^\s*</?\w[^<>]*>\s*$"
        r"|^\s*[\w.$]+\([^)]*\)\s*;?\s*$"
    )


_PASTED = (
    r"(?:errors?|outputs?|logs?|traceback|stack ?trace|trace|stderr|stdout|warnings?"
    r"|console(?: output)?|error messages?|exception|dump|response|diff|snippet"
    r"|message)"
)
_GETS = (
    r"(?:gets?|got|getting|seeing|sees?|saw|throws?|threw|prints?|printed|(?:it"
    r"|which) outputs"
    r"|says|said|wrote|complains?|(?:fail|crash|die|exit|stop)(?:s|ed|d)? with|reads)"
)


@lru_cache(maxsize=1)
def _announcement() -> re.Pattern[str]:
    """Return a line that says that what follows was pasted."""
    return re.compile(
        rf"(?i:^(?:.{{0,200}}[.!?]\s+)?(?:the |full |my |here'?s? |is |are |this "
        rf"|following "
        rf"|with |an? )*{_PASTED}\s*:$"
        rf"|\b{_GETS}\b[^:]{{0,40}}:$"
        r"|\b(?:logs?|console|terminal|output|compiler|linter|ci|build|trace|docs"
        r"|readme)\s"
        r"(?:shows?|has|contains?|reads?|now)\b[^:]{0,40}:$)"
        r"|(?:报错|報錯|错误|錯誤|日志|日誌|输出|輸出)(?:信息|資訊|内容|內容|如下"
        r"|是|为|了)*"
        r"[：:]$|(?:他|她|文档|文檔|同事|老板|上面|网上|里面?|裡)[说說写寫]着?[：:]$"
        r"|(?:写道|寫道|原文)[：:]$"
    )
