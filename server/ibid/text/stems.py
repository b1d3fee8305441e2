"""The terms a row is indexed with and a query asks for: `terms`, made comparable (F1).

`index_terms` is the one function for both.  English words lose their endings and
irregular forms (``uploads``, ``uploading`` → ``upload``; ``went`` → ``go``); Latin
letters lose their accents; names, numbers and dense scripts stay as they are.  Each run
of a dense script also gives its last character alone, so that a single character is
found by prefix wherever it stands.
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

from ibid.text.terms import is_dense, terms

# Marks the terms that say who speaks; no term of a text starts so.
SPEAKER = "@"

# Names that say no more than the role does.
_ROLES = frozenset(
    ("person", "user", "human", "agent", "assistant", "harness", "model", "system")
)


def index_terms(text: str, author: str = "") -> list[str]:
    """Return the terms under which ``text`` by ``author`` is found, with repeats.

    A row's ``length`` is the number of these; its index holds each once.

    >>> index_terms("Uploads failed in Café's API", "Ann")
    ['upload', 'fail', 'in', 'cafe', 'api', '@ann']
    """
    found: list[str] = []
    last = ""
    for term in terms(text):
        if last and not (len(term) == 2 and term[0] == last):
            found.append(last)
        last = ""
        if term.isascii():
            if term.isalpha():
                found.append(stem(term))
            elif term[-2:] != "'s":  # Its base follows.
                found.append(term)
        elif is_dense(term):
            found.append(term)
            last = term[1:]
        else:
            plain = without_accents(term)
            found.append(stem(plain) if plain.isascii() and plain.isalpha() else plain)
    if last:
        found.append(last)
    return found + [SPEAKER + name for name in speakers(author, text)]


def speakers(author: str, text: str) -> list[str]:
    """Return the folded names of who says ``text``: its author, or ``Name: …``.

    >>> speakers("Ann Lee", ""), speakers("person", "Bo: hello"), speakers("", "x: y")
    (['ann', 'lee'], ['bo'], ['x'])
    """
    if re.fullmatch(_NAME, author) and author.lower() not in _ROLES:
        return _name_terms(author)
    label = re.match(_LABEL, text)
    return _name_terms(label.group(1)) if label else []


@lru_cache(maxsize=256)
def _name_terms(name: str) -> list[str]:
    return terms(name)


# A name of up to three words without figures: a model's has some.
_NAME = r"[^\W\d_](?:[^\W\d_]|['.-]){0,24}(?: (?:[^\W\d_]|['.-]){1,24}){0,2}"

# One before a colon, marked up or not, with or without a remark in brackets.
_LABEL = (
    rf"[*_>\[\s]{{0,4}}({_NAME})"
    r"[*_]{0,2}(?: ?\([^()\n]{1,40}\))?[\]*_]{0,3}:[*_]{0,2}\s"
)


@lru_cache(maxsize=4096)
def without_accents(term: str) -> str:
    """Return ``term`` without the accents of its Latin, Greek or Arabic letters."""
    parts = unicodedata.normalize("NFD", term)
    bare = "".join(
        c for c in parts if not ("\u0300" <= c <= "\u036f" or "\u064b" <= c <= "\u0652")
    )
    return unicodedata.normalize("NFC", bare)


# -- English word forms -----------------------------------------------------------


@lru_cache(maxsize=32768)
def stem(word: str) -> str:
    """Return the stem of a lower-case ASCII word, by Porter's algorithm of 1980.

    Irregular forms go to their base first.

    >>> [stem(word) for word in ("uploading", "uploads", "ran", "relational", "is")]
    ['upload', 'upload', 'run', 'relat', 'is']
    """
    word = _irregular().get(word, word)
    if len(word) <= 2 or len(word) > 40:
        return word
    word = _step_1(word)
    word = _replace(word, _STEP_2, 1)
    word = _replace(word, _STEP_3, 1)
    word = _step_4(word)
    return _step_5(word)


def _shape(word: str) -> str:
    """Return ``word`` as c and v for consonants and vowels; y is one after a vowel."""
    shape = ""
    for letter in word:
        vowel = letter in "aeiou" or (letter == "y" and shape[-1:] == "c")
        shape += "v" if vowel else "c"
    return shape


def _measure(word: str) -> int:
    """Return how often a consonant follows a vowel: Porter's *m*."""
    return _shape(word).count("vc")


def _is_short(word: str) -> bool:
    """Say whether ``word`` ends consonant, vowel, consonant, the last not w, x or y."""
    return _shape(word).endswith("cvc") and word[-1] not in "wxy"


def _step_1(word: str) -> str:
    """Take plurals and the past off."""
    if word.endswith("sses") or word.endswith("ies"):
        word = word[:-2]
    elif word.endswith("s") and not word.endswith("ss"):
        word = word[:-1]
    for ending in ("eed", "ed", "ing"):
        if word.endswith(ending):
            word = _without_past(word, word[: -len(ending)], ending)
            break
    if word.endswith("y") and "v" in _shape(word[:-1]):
        word = word[:-1] + "i"
    return word


def _without_past(word: str, base: str, ending: str) -> str:
    if ending == "eed":
        return word[:-1] if _measure(base) > 0 else word
    if "v" not in _shape(base):
        return word
    if base.endswith(("at", "bl", "iz")):
        return base + "e"
    if base[-1:] == base[-2:-1] and _shape(base)[-1] == "c" and base[-1] not in "lsz":
        return base[:-1]
    if _measure(base) == 1 and _is_short(base):
        return base + "e"
    return base


_STEP_2 = dict(
    ational="ate",
    tional="tion",
    enci="ence",
    anci="ance",
    izer="ize",
    bli="ble",
    alli="al",
    entli="ent",
    eli="e",
    ousli="ous",
    ization="ize",
    ation="ate",
    ator="ate",
    alism="al",
    iveness="ive",
    fulness="ful",
    ousness="ous",
    aliti="al",
    iviti="ive",
    biliti="ble",
    logi="log",
)
_STEP_3 = dict(icate="ic", ative="", alize="al", iciti="ic", ical="ic", ful="", ness="")
_STEP_4 = frozenset(
    (
        *("al", "ance", "ence", "er", "ic", "able", "ible", "ant", "ement", "ment"),
        *("ent", "ou", "ism", "ate", "iti", "ous", "ive", "ize"),
    )
)


def _replace(word: str, endings: dict[str, str], measure: int) -> str:
    """Replace the longest of ``endings`` that ``word`` has, if enough stands before."""
    for length in range(7, 1, -1):
        new = endings.get(word[-length:]) if len(word) > length else None
        if new is not None:
            base = word[:-length]
            return base + new if _measure(base) >= measure else word
    return word


def _step_4(word: str) -> str:
    for length in range(5, 1, -1):
        ending, base = word[-length:], word[:-length]
        if ending in _STEP_4 or (ending == "ion" and base[-1:] in ("s", "t")):
            return base if base and _measure(base) > 1 else word
    return word


def _step_5(word: str) -> str:
    if word.endswith("e"):
        base = word[:-1]
        measure = _measure(base)
        if measure > 1 or (measure == 1 and not _is_short(base)):
            word = base
    if word.endswith("ll") and _measure(word) > 1:
        word = word[:-1]
    return word


@lru_cache(maxsize=1)
def _irregular() -> dict[str, str]:
    """Return irregular English forms and the word each belongs to."""
    forms: dict[str, str] = {}
    for group in _FORMS.split(";"):
        base, *others = group.split()
        forms.update(dict.fromkeys(others, base))
    return forms


_FORMS = (
    "be was were been am is are;have had has having;do did done does doing;go went"
    " gone goes;say said;get got gotten;make made;know knew known;think thought;take"
    " took taken;see saw seen;come came;give gave given;find found;tell told;feel"
    " felt;become became;leave left;mean meant;keep kept;begin began begun;show"
    " shown;hear heard;run ran;hold held;bring brought;write wrote written;sit"
    " sat;stand stood;lose lost;pay paid;meet met;lead led;understand understood;speak"
    " spoke spoken;spend spent;grow grew grown;win won;teach taught;buy bought;send"
    " sent;build built;fall fell fallen;choose chose chosen;break broke broken;drive"
    " drove driven;draw drew drawn;eat ate eaten;fly flew flown;forget forgot"
    " forgotten;rise rose risen;sing sang sung;sleep slept;swim swam swum;throw threw"
    " thrown;wear wore worn;catch caught;fight fought;seek sought;sell sold;shake"
    " shook shaken;shoot shot;steal stole stolen;stick stuck;strike struck;swear swore"
    " sworn;tear tore torn;wake woke woken;bind bound;bite bit bitten;blow blew"
    " blown;drink drank drunk;feed fed;freeze froze frozen;hide hid hidden;hang"
    " hung;lend lent;lie lain;ride rode ridden;ring rang rung;shine shone;shrink"
    " shrank shrunk;sink sank sunk;slide slid;spin spun;spring sprang sprung;sweep"
    " swept;weave wove woven;wind wound;rebuild rebuilt;rewrite rewrote"
    " rewritten;overwrite overwrote overwritten;undo undid undone;redo redid"
    " redone;deal dealt;dream dreamt;learn learnt;burn burnt;bend bent;dig dug;child"
    " children;man men;woman women;person people;foot feet;tooth teeth;mouse"
    " mice;index indices indexes;matrix matrices;vertex vertices;wife wives;half"
    " halves;shelf shelves;knife knives;datum data;criterion criteria;analysis"
    " analyses;schema schemata;appendix appendices"
)
