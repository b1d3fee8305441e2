"""Ranking: what is found, in which order, with which score, and what is left out."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from ibid.engine.recall import rank
from ibid.engine.recall.rank import Hit, Ranked
from ibid.engine.recall.scores import Scored
from ibid.store import search as index
from ibid.store.connection import Store
from ibid.store.schema import ensure_schema
from ibid.text.stems import index_terms

DAY = 86_400_000
NOW = 1_775_131_200_000  # 2026-04-02.


class Shelf:
    """A store with rows put straight into its tables."""

    def __init__(self, store: Store) -> None:
        self.store = store
        self.clock = NOW - 100 * DAY
        self.places: dict[int, int] = {}

    def say(self, text: str, session: int = 1, **fields: Any) -> int:
        """Add a message, L0, and return its row id."""
        place = self.places[session] = self.places.get(session, 0) + 1
        row = session << 20 | place
        hidden = fields.pop("hidden", 0)
        with self.store.write() as connection:
            connection.execute(
                "INSERT OR IGNORE INTO session (id, agent, native, hidden)"
                " VALUES (?, 'a', ?, ?)",
                (session, f"s{session}", hidden),
            )
            values = {"session": session, "role": "person", "native": f"m{row}"}
            self._add("message", row, text, values | fields)
        return row

    def note(self, text: str, layer: int = 1, **fields: Any) -> int:
        """Add a memory of layer 1, 2 or 3 and return its row id."""
        row = self.places["memory"] = self.places.get("memory", 0) + 1  # type: ignore[index,call-overload]
        values = {"layer": layer, "category": "fact", "confidence": 0.9}
        values |= {"key": f"n-{row}", "created": self.clock}
        with self.store.write():
            self._add("memory", row, text, values | fields)
        return row

    def keep(self, text: str, **fields: Any) -> int:
        """Add an archived text and return its row id."""
        row = self.places["archive"] = self.places.get("archive", 0) + 1  # type: ignore[index,call-overload]
        values = {"handle": f"{row:024x}", "digest": "b3:", "bytes": len(text)}
        with self.store.write():
            self._add("archive", row, text, values | fields)
        return row

    def _add(self, table: str, row: int, text: str, values: dict[str, Any]) -> None:
        self.clock += 1
        moment = {"message": "at", "memory": "updated", "archive": "observed"}[table]
        found = index_terms(text, values.get("author", ""))
        values = {"id": row, "length": len(found), moment: self.clock} | values
        if table != "archive":
            values["text"] = text
        names, marks = ", ".join(values), ", ".join(f":{name}" for name in values)
        with self.store.write() as connection:
            connection.execute(
                f"INSERT INTO {table} ({names}) VALUES ({marks})", values
            )
            if values.get("active", 1):
                index.ensure_terms(connection, f"{table}_terms", row, found)

    def find(self, query: str, *layers: str, **fields: Any) -> Ranked:
        """Search the named layers, or all four."""
        if layers:
            fields["layers"] = frozenset(layers)
        return rank.search(self.store.read(), rank.Request(query, now=NOW, **fields))

    def rows(self, query: str, *layers: str, **fields: Any) -> list[int]:
        """Return the rows that `find` gives."""
        return [hit.row for hit in self.find(query, *layers, **fields).hits]


@pytest.fixture
def shelf(tmp_path: Path) -> Iterator[Shelf]:
    """An empty store."""
    store = Store(str(tmp_path / "store" / "ibid.db"))
    ensure_schema(store)
    yield Shelf(store)
    store.close()


# -- the numbers of the fusion (F3) -----------------------------------------------


@pytest.mark.parametrize(
    ("layer", "position", "lexical", "note", "score"),
    [
        ("L1", 0, 1.0, (1.0, False), 1.0),
        ("L1", 0, 1.0, (0.9, False), 0.9),
        ("L1", 0, 1.0, (0.9, True), 0.96),
        ("L1", 12, 0.0, (1.0, False), 0.3),
        ("L1", 4, 0.5, (0.9, False), 0.9 * (0.6 * 0.75 + 0.4 * 0.5)),
        ("L2", 0, 1.0, (0.85, False), 0.92 * 0.85),
        ("L0", 0, 1.0, (1.0, False), 0.85),
        ("L3", 0, 1.0, (0.8, False), 0.75 * 0.8),
        ("L3", 36, 0.25, (0.8, True), 0.75 * 0.25 * 0.8 + 0.06),
    ],
)
def test_the_fusion(
    layer: str, position: int, lexical: float, note: tuple[float, bool], score: float
) -> None:
    """F3: weight × (0.6 · 12/(12 + rank) + 0.4 · coverage) × confidence, pin +0.06."""
    confidence, pinned = note
    facts = index.Facts(1, 5, 0, confidence, pinned, "", "", "", "")
    scored = Scored(1, 3.0, lexical, facts)
    assert rank.fuse(layer, position, scored) == pytest.approx(score)


def test_whole_coverage_scores_by_layer_and_confidence(shelf: Shelf) -> None:
    """F3: the first of a layer that holds every word has weight times confidence."""
    shelf.note("retry limit is three")
    shelf.note("Asked for the retry limit", layer=2, confidence=0.85)
    shelf.note("the retry limit", layer=3, confidence=0.8)
    shelf.say("a retry limit")
    found = {hit.layer: hit.score for hit in shelf.find("retry limit").hits}
    expected = {"L1": 0.9, "L2": 0.92 * 0.85, "L0": 0.85, "L3": 0.75 * 0.8}
    assert found == pytest.approx(expected)


def test_each_layer_counts_its_own_ranks(shelf: Shelf) -> None:
    """F3: the second of a layer has 12/13 of the rank score, in its layer only."""
    for _ in range(2):
        shelf.note("retry limit", confidence=1.0)
        shelf.say("retry limit", session=1)
    scores = [hit.score for hit in shelf.find("retry limit").hits]
    second = 0.6 * 12 / 13 + 0.4
    assert scores == pytest.approx([1.0, second, 0.85, 0.85 * second])


def test_coverage_is_weighted_by_rarity(shelf: Shelf) -> None:
    """F3: the rarer of two words covers more of the query than the other."""
    for number in range(20):
        shelf.note(f"upload number {number}")
    rare = shelf.note("a mutex")
    hits = {hit.row: hit for hit in shelf.find("upload mutex").hits}
    others = [hit.lexical for row, hit in hits.items() if row != rare]
    assert 0 < max(others) < 0.2
    assert 0.8 < hits[rare].lexical < 1


def test_ties_go_to_the_newer(shelf: Shelf) -> None:
    """F3: of equal rows the later comes first, in every layer."""
    old, new = shelf.note("same words"), shelf.note("same words")
    assert shelf.rows("same words", "L1") == [new, old]
    first, last = shelf.say("same words", 1), shelf.say("same words", 2)
    assert shelf.rows("same words", "L0") == [last, first]


# -- words (F1, W7, W8, W11) ------------------------------------------------------


@pytest.mark.parametrize(
    ("query", "text"),
    [("log", "catalog"), ("art", "start"), ("go", "Django"), ("API", "Rapid")],
)
def test_a_word_inside_another_is_not_found(
    shelf: Shelf, query: str, text: str
) -> None:
    """W7: matching is by words, not by letters in a row."""
    shelf.note(text)
    shelf.say(text)
    found = shelf.find(query)
    assert found.hits == [] and query.lower() in found.reason


def test_filler_does_not_hide_the_telling_words(shelf: Shelf) -> None:
    """W8: words after the twelfth are asked for, stop words are not."""
    wanted = shelf.note("the retry limit of the exporter")
    shelf.note("hello there, have a look and take it")
    query = (
        "Hello there, would you be so kind and please have a look at what happens in"
        " the exporter when it should stop because of its retry limit"
    )
    assert shelf.rows(query, "L1")[0] == wanted


def test_the_twelve_rarest_words_are_used(shelf: Shelf) -> None:
    """F1: of many words those that few rows hold are kept, wherever they stand."""
    common = [f"common{letter}" for letter in "abcdefghijklmnop"]
    for _ in range(10):
        shelf.note(" ".join(common))
    wanted = shelf.note("zebra quagga")
    assert shelf.rows(" ".join([*common, "zebra", "quagga"]), "L1")[0] == wanted


@pytest.mark.parametrize(
    ("text", "query"),
    [
        ("миграции обратимы", "миграции"),
        ("قاعدة البيانات بطيئة", "البيانات"),
        ("検索を直す", "検索"),
        ("검색을 고친다", "검색"),
        ("แก้ไขฐานข้อมูล", "ฐานข้อมูล"),
        ("𠀀𠀁𠀂", "𠀁𠀂"),
        ("上传重试限制为三次", "重试限制"),
        ("这里有死锁。", "锁"),
        ("the café is closed", "cafe"),
        ("written in C++", "C++"),
        ("see .env", ".env"),
        ("in getUserName()", "user name"),
        ("in retry_limit", "limit"),
        ("error[E0433]: failed", "E0433"),
        ("open C:\\work\\api.py", "api.py"),
        ("Ｆｕｌｌ　ｗｉｄｔｈ", "full width"),
        ("uploads were failing", "upload fails"),
        ("it broke", "breaks"),
    ],
)
def test_words_of_every_script_are_found(shelf: Shelf, text: str, query: str) -> None:
    """F1, W11: each script, accent, width, name and word form leads to its text."""
    other = shelf.note("nothing of that kind")
    wanted = shelf.note(text)
    assert shelf.rows(query, "L1") == [wanted] != [other]


@pytest.mark.parametrize(("query", "text"), [("C#", "C++"), ("c", "C#"), ("env", "en")])
def test_names_that_differ_by_marks_stay_apart(
    shelf: Shelf, query: str, text: str
) -> None:
    """W11: ``C``, ``C++`` and ``C#`` are three languages."""
    shelf.note(f"written in {text}")
    assert shelf.rows(query, "L1") == []


def test_neither_script_crowds_the_other_out(shelf: Shelf) -> None:
    """F1: overlapping pairs of a Chinese phrase count half among the twelve words."""
    chinese = "上传失败后重新尝试连接服务器超时"
    words = "alpha bravo charlie delta echo foxtrot golf hotel"
    english = shelf.note(words)
    other = shelf.note(chinese)
    for text in (chinese, words):
        shelf.note(text)
    found = shelf.find(f"{chinese} {words}", "L1", limit=2)
    lexical = {hit.row: hit.lexical for hit in shelf.find(f"{chinese} {words}").hits}
    assert len(found.hits) == 2
    assert lexical[english] > 0.3 and lexical[other] > 0.3


# -- how a row matched --------------------------------------------------------------


def test_how_a_row_matched(shelf: Shelf) -> None:
    """F4: all words, some of them, or a look-alike of one that is nowhere."""
    shelf.note("the upload retries")
    shelf.note("the upload fails")

    def how(query: str) -> list[str]:
        return [hit.matched for hit in shelf.find(query, "L1").hits]

    assert how("upload retry") == ["all", "some"]
    assert how("uplaod retries") == ["spelling", "spelling"]
    assert how("upload zzyzx") == ["some", "some"]


@pytest.mark.parametrize(
    "wrong",
    ["mirgation", "migraton", "igration", "nigration", "mmigration"],
)
def test_misspelt_words_are_found(shelf: Shelf, wrong: str) -> None:
    """Letters swapped, lost, doubled or wrong: the word is found by look-alike."""
    wanted = shelf.note("every migration is reversible")
    shelf.note("every message is short")
    hits = shelf.find(wrong, "L1").hits
    assert [(hit.row, hit.matched) for hit in hits] == [(wanted, "spelling")]


def test_a_known_word_is_not_replaced_by_a_look_alike(shelf: Shelf) -> None:
    """Only words that no row holds are spelt; short words never are."""
    cart = shelf.note("the cart service")
    shelf.note("the card service")
    assert shelf.rows("cart", "L1") == [cart]
    assert shelf.rows("cat", "L1") == []


# -- messages: neighbours, speakers, times ------------------------------------------


def test_an_answer_is_found_by_the_words_of_its_question(shelf: Shelf) -> None:
    """A sentence finds what was said next; a keyword only what holds it."""
    question = shelf.say("which database engine shall we use for the ledger?")
    answer = shelf.say("postgres, it is there anyway", role="agent")
    far = [shelf.say(f"unrelated remark {number}") for number in range(6)][-1]
    found = shelf.rows("which database engine did we choose for the ledger", "L0")
    assert found[:2] == [question, answer] and far not in found
    assert shelf.rows("ledger", "L0") == [question]


def test_neighbours_end_with_their_session(shelf: Shelf) -> None:
    """The first message of a session is no neighbour of another session's last."""
    last = shelf.say("the exporter drops every second row of the table", 1)
    shelf.say("good morning", 2)
    assert shelf.rows("why does the exporter drop rows", "L0") == [last]


@pytest.mark.parametrize("style", ["author", "label", "address"])
def test_a_named_participant_is_preferred(shelf: Shelf, style: str) -> None:
    """The question names one speaker: by author, by label, or as one addressed."""
    lines = [("Ann", "Bob"), ("Bob", "Ann")] * 6
    for number, (speaker, other) in enumerate(lines):
        fields = {"role": "person" if speaker == "Ann" else "agent"}
        text = f"I painted the shed, item {number}"
        if style == "author":
            fields["author"] = speaker
        if style == "label":
            text = f"{speaker}: {text}"
        if style == "address":
            text = f"Thanks, {other}! {text}"
        shelf.say(text, session=number + 1, **fields)
    hits = shelf.find("What did Bob paint at the shed?", "L0", limit=6).hits
    assert [hit.row >> 20 for hit in hits] == [12, 10, 8, 6, 4, 2]


def test_a_label_that_is_no_name_stays_a_word(shelf: Shelf) -> None:
    """``Error: …`` makes no speaker, so the word is still looked for."""
    for number in range(8):
        shelf.say(f"an error in module {number}", session=number + 1)
    shelf.say("Error: the socket closed", session=20)
    found = shelf.find("error in the socket module", "L0").hits
    assert len(found) == 9


def test_whose_words_are_asked_for(shelf: Shelf) -> None:
    """*Did I ask* prefers the person's messages, *did you say* the agent's."""
    mine = shelf.say("tabs for indentation in the parser", 1)
    yours = shelf.say("tabs for indentation in the parser", 2, role="agent")
    assert shelf.rows("did I ask for indentation by tabs?", "L0") == [mine, yours]
    assert shelf.rows("what did you say about indentation?", "L0") == [yours, mine]


def test_a_named_time_is_preferred(shelf: Shelf) -> None:
    """A month, a year and *yesterday* prefer what was said then."""
    march = shelf.say("we changed the cache", 1, at=NOW - 20 * DAY)
    fresh = shelf.say("we changed the cache", 2, at=NOW - DAY)
    other = shelf.say("we changed the cache", 3, at=NOW - 60 * DAY)
    assert shelf.rows("the cache change in March 2026", "L0")[0] == march
    assert shelf.rows("which cache did we change yesterday", "L0")[0] == fresh
    assert shelf.rows("the cache change in February", "L0")[0] == other


# -- what is left out ----------------------------------------------------------------


def test_the_current_session_is_excluded_before_the_cut(shelf: Shelf) -> None:
    """G3, W9: sixty rows of one's own do not push the earlier one out."""
    wanted = shelf.say("the uploader retries three times", session=1)
    episode = shelf.note("the uploader retries", layer=2, session=1)
    for number in range(60):
        shelf.say(f"the uploader retries again, try {number}", session=2)
        shelf.note(f"the uploader retries {number}", layer=2, session=2)
    shelf.say("the uploader again", session=3)
    own = frozenset((2, 3))
    assert shelf.rows("uploader retries", "L0", exclude_sessions=own) == [wanted]
    assert shelf.rows("uploader retries", "L2", exclude_sessions=own) == [episode]


def test_notes_of_the_current_session_stay(shelf: Shelf) -> None:
    """G3 is about L0 and L2: a note is known whoever said it."""
    note = shelf.note("the uploader retries", session=2)
    assert shelf.rows("uploader", exclude_sessions=frozenset((2,))) == [note]


@pytest.mark.parametrize("excluded", [(), (1,), (1, 2), (2, 4), (0, 3, 4)])
def test_excluded_sessions_are_gaps_between_ranges(
    shelf: Shelf, excluded: tuple[int, ...]
) -> None:
    """G3: every message but those of the excluded sessions can be found."""
    rows = {session: shelf.say("word", session) for session in (1, 2, 3, 4)}
    found = shelf.rows("word", "L0", exclude_sessions=frozenset(excluded))
    kept = {row for session, row in rows.items() if session not in excluded}
    assert set(found) == kept


def test_filters_stand_before_the_cut(shelf: Shelf) -> None:
    """Inactive notes, other roles' and hidden sessions' rows take no place."""
    mine = shelf.note("deploy with care", role="")
    theirs = shelf.note("deploy with care", role="reviewer")
    for _ in range(30):
        shelf.note("deploy with care", active=0, state="forgotten")
        shelf.say("deploy with care", session=9, hidden=1)
    assert shelf.rows("deploy care", limit=2) == [theirs, mine]
    assert shelf.rows("deploy care", role="writer", limit=2) == [mine]
    assert shelf.rows("deploy care", role="reviewer", limit=2) == [theirs, mine]


def test_recall_takes_nothing_tainted_or_secret(shelf: Shelf) -> None:
    """B10, E1: outside text waits for a person; a search still shows it."""
    outside = shelf.note("deploy with care", taint=1)
    accepted = shelf.note("deploy with care", taint=1, curated=1)
    secret = shelf.say("deploy with care", secret=1)
    assert shelf.rows("deploy care", floor=True) == [accepted]
    assert set(shelf.rows("deploy care")) == {outside, accepted, secret}


def test_the_archive_is_searched_on_request(shelf: Shelf) -> None:
    """F4: archived texts come only when asked for, and not once they are gone."""
    kept = shelf.keep("panic in scheduler", state="hot")
    shelf.keep("panic in scheduler", gone=NOW)
    assert shelf.rows("scheduler panic") == []
    hits = shelf.find("scheduler panic", "archive").hits
    assert [(hit.layer, hit.row, hit.matched) for hit in hits] == [
        ("archive", kept, "all")
    ]


# -- the floor of recall (G2) ---------------------------------------------------------


@pytest.mark.parametrize(
    "prompt",
    ["ok", "👍", "", "what is it?", "please do it now", "好的", "继续", "go on"],
)
def test_a_contentless_prompt_recalls_nothing(shelf: Shelf, prompt: str) -> None:
    """G2: without a telling word there is nothing to recall."""
    shelf.note("please go on and do it now, ok, if that is what you want")
    assert shelf.find(prompt, "L1", floor=True).hits == []


def test_sharing_what_any_request_says_is_not_enough(shelf: Shelf) -> None:
    """G2: *add*, *fix* and *file* alone recall nothing; a search finds them."""
    shelf.note("Always add a type to each file you fix")
    prompt = "add a button, fix the file"
    assert shelf.find(prompt, "L1", floor=True).hits == []
    assert len(shelf.find(prompt, "L1").hits) == 1


@pytest.mark.parametrize(("rows", "found"), [(40, 40), (60, 0)])
def test_a_word_of_many_rows_recalls_nothing_alone(
    shelf: Shelf, rows: int, found: int
) -> None:
    """G2: more than a fifth of at least fifty rows is common, whatever the word."""
    for number in range(rows):
        shelf.note(f"the parser knows rule {number}")
    hits = shelf.find("rename a variable in the parser", "L1", floor=True, limit=99)
    assert len(hits.hits) == found


def test_a_rare_word_brings_its_row_and_common_ones_order_it(shelf: Shelf) -> None:
    """G2: what shares a telling word is recalled, and nothing beside it."""
    for number in range(60):
        shelf.note(f"the parser knows rule {number}")
    plain = shelf.note("the other mutex is held too long")
    both = shelf.note("the parser mutex is held too long")
    assert shelf.rows("mutex in the parser", "L1", floor=True) == [both, plain]


def test_recall_of_messages_keeps_to_those_that_share_a_word(shelf: Shelf) -> None:
    """G2: a neighbour that shares nothing itself is no relevant memory."""
    question = shelf.say("which database engine shall we use for the ledger?")
    shelf.say("postgres", role="agent")
    prompt = "what did we say about the ledger and its database engine"
    assert shelf.rows(prompt, "L0", floor=True) == [question]


# -- size and paging ------------------------------------------------------------------


def test_pages_follow_each_other(shelf: Shelf) -> None:
    """F4: pages show every hit once; beyond the last one the answer says why."""
    for number in range(30):
        shelf.note(f"deploy step {number}")
        shelf.say(f"deploy remark {number}")
    pages = [shelf.find("deploy", limit=25, offset=at) for at in (0, 25, 50, 75)]
    assert [page.total for page in pages] == [60] * 4
    shown = [(hit.layer, hit.row) for page in pages for hit in page.hits]
    assert len(shown) == len(set(shown)) == 60
    assert pages[3].hits == [] and "60" in pages[3].reason


def test_frequent_words_are_bounded_and_still_order(shelf: Shelf) -> None:
    """A word of more rows than are fetched chooses none and yet counts."""
    old = shelf.say("the worker and its quagga", 1)
    with shelf.store.write():
        for number in range(800):
            shelf.say(f"the worker did job {number}", 2 + number // 300)
            shelf.say(f"the reader saw page {number}", 2 + number // 300)
    plain = shelf.say("another one with quagga", 9)
    hits = shelf.find("quagga of the worker", "L0").hits
    assert [hit.row for hit in hits[:2]] == [old, plain]
    assert [hit.matched for hit in hits[:2]] == ["all", "some"]


def test_two_frequent_words_find_the_old_row_that_holds_both(shelf: Shelf) -> None:
    """When every word is frequent, rows with the rarest two are looked for."""
    with shelf.store.write():
        both = shelf.say("red worker and blue parser", 1)
        for number in range(700):
            shelf.say("the worker", 2 + number // 300)
            shelf.say("the parser", 2 + number // 300)
    assert shelf.rows("worker parser", "L0")[0] == both


# -- any query at all -----------------------------------------------------------------

HOSTILE = [
    '"',
    "'",
    'a" OR "b',
    "a AND b NOT c",
    "NEAR(a b)",
    "terms:a",
    "a*",
    "^a",
    "(",
    "-",
    "?",
    "x",
    "\x00",
    "a\x00b",
    "\ud83d",
    "🚀👍🏽",
    "%_\\",
    "@ann",
    "a" * 1000,
    "ʼ’'s",
    "'s",
    "·",
    "ÅÄ̈",
    "{}[]",
    "May",
    "2026-13",
    "yesterday",
]


@settings(deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.text(max_size=60), st.booleans())
def test_no_query_is_an_error(shelf: Shelf, query: str, floor: bool) -> None:
    """F4: whatever is asked, the answer is hits or a reason."""
    if not shelf.places:
        shelf.note("a note with some words, 必须, and C++")
        shelf.say("a message with some words")
    found = shelf.find(query, "L0", "L1", "L2", "L3", "archive", floor=floor)
    assert found.hits or found.reason


for _query in HOSTILE:
    test_no_query_is_an_error = example(_query, False)(test_no_query_is_an_error)


@pytest.mark.parametrize(
    "unit", ["word ", "a", "必须", "\ud83d", '"', "src/", "aB", "e\u0301", "x1 y2 "]
)
def test_a_megabyte_of_query_is_answered(shelf: Shelf, unit: str) -> None:
    """A paste is read at its beginning and end, in bounded time."""
    shelf.note("the last words of it")
    query = unit * (1_000_000 // len(unit)) + " last words"
    assert shelf.rows(query, "L1") == [1]


def test_an_empty_store_says_what_was_looked_for(shelf: Shelf) -> None:
    """F4: nothing found names the words, so that a person sees what was understood."""
    found = shelf.find("the upload limit")
    assert found == Ranked([], 0, "no row holds any of: upload, limit")


def test_a_hit_says_where_it_is(shelf: Shelf) -> None:
    """A hit carries layer, row, score, coverage and moment for the faces to show."""
    row = shelf.note("upload limit", confidence=1.0)
    hit = shelf.find("upload limit").hits[0]
    assert hit == Hit("L1", row, pytest.approx(1.0), "all", 1.0, shelf.clock)
