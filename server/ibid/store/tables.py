"""The tables of a project's store, in one look.

Every row that holds words carries ``author``, ``origin``, ``taint``, the versions of
redaction and terms it was made with, and ``version``, which every change raises: who
read an older one gets a conflict instead of overwriting.  Times are milliseconds.
"""

from __future__ import annotations

# Row id of a message: session number << MESSAGE_BITS | position in the session.
MESSAGE_BITS = 20

_PROVENANCE = """
    author TEXT NOT NULL DEFAULT '',
    origin TEXT NOT NULL DEFAULT 'automatic',
    taint INTEGER NOT NULL DEFAULT 0,
    redact_version INTEGER NOT NULL DEFAULT 0,
    terms_version INTEGER NOT NULL DEFAULT 0,
    version INTEGER NOT NULL DEFAULT 1
"""

CONVERSATION = f"""
CREATE TABLE session (
    id INTEGER PRIMARY KEY,
    agent TEXT NOT NULL,
    native TEXT NOT NULL,
    parent INTEGER REFERENCES session(id),
    fork_point TEXT,
    lineage INTEGER,
    role TEXT NOT NULL DEFAULT '',
    kind TEXT NOT NULL DEFAULT 'main',
    title TEXT NOT NULL DEFAULT '',
    cwd TEXT NOT NULL DEFAULT '',
    branch TEXT NOT NULL DEFAULT '',
    agent_version TEXT NOT NULL DEFAULT '',
    started INTEGER NOT NULL DEFAULT 0,
    last INTEGER NOT NULL DEFAULT 0,
    ended INTEGER,
    history INTEGER NOT NULL DEFAULT 0,
    preset TEXT NOT NULL DEFAULT 'default',
    read_policy TEXT NOT NULL DEFAULT 'inherit',
    write_policy TEXT NOT NULL DEFAULT 'inherit',
    control TEXT NOT NULL DEFAULT '',
    hidden INTEGER NOT NULL DEFAULT 0,
    version INTEGER NOT NULL DEFAULT 1,
    UNIQUE (agent, native)
);
CREATE TABLE epoch (
    id INTEGER PRIMARY KEY,
    session INTEGER NOT NULL REFERENCES session(id) ON DELETE CASCADE,
    scope TEXT NOT NULL DEFAULT '',
    number INTEGER NOT NULL,
    boundary TEXT NOT NULL,
    reason TEXT NOT NULL,
    at INTEGER NOT NULL,
    UNIQUE (session, scope, boundary)
);
CREATE TABLE turn (
    id INTEGER PRIMARY KEY,
    session INTEGER NOT NULL REFERENCES session(id) ON DELETE CASCADE,
    number INTEGER NOT NULL,
    native TEXT NOT NULL UNIQUE,
    state TEXT NOT NULL DEFAULT 'open',
    at INTEGER NOT NULL,
    ended INTEGER,
    flags TEXT NOT NULL DEFAULT '',
    captured INTEGER NOT NULL DEFAULT 0,
    {_PROVENANCE},
    UNIQUE (session, number)
);
CREATE TABLE message (
    id INTEGER PRIMARY KEY,
    session INTEGER NOT NULL REFERENCES session(id) ON DELETE CASCADE,
    turn INTEGER REFERENCES turn(id) ON DELETE CASCADE,
    scope TEXT NOT NULL DEFAULT '',
    role TEXT NOT NULL,
    voice TEXT NOT NULL DEFAULT '',
    text TEXT NOT NULL,
    at INTEGER NOT NULL,
    native TEXT NOT NULL UNIQUE,
    part TEXT NOT NULL DEFAULT '',
    transcript INTEGER,
    start INTEGER,
    "end" INTEGER,
    secret INTEGER NOT NULL DEFAULT 0,
    length INTEGER NOT NULL DEFAULT 0,
    handle TEXT NOT NULL DEFAULT '',
    {_PROVENANCE}
);
CREATE TABLE block (
    native TEXT PRIMARY KEY,
    message INTEGER NOT NULL REFERENCES message(id) ON DELETE CASCADE
) WITHOUT ROWID;
CREATE INDEX message_turn ON message(turn);
CREATE INDEX message_handle ON message(handle);
CREATE TABLE tool (
    id INTEGER PRIMARY KEY,
    native TEXT NOT NULL UNIQUE,
    session INTEGER NOT NULL REFERENCES session(id) ON DELETE CASCADE,
    turn INTEGER REFERENCES turn(id) ON DELETE CASCADE,
    scope TEXT NOT NULL DEFAULT '',
    name TEXT NOT NULL,
    kind TEXT NOT NULL,
    title TEXT NOT NULL DEFAULT '',
    error INTEGER NOT NULL DEFAULT 0,
    archive INTEGER REFERENCES archive(id),
    tokens INTEGER NOT NULL DEFAULT 0,
    at INTEGER NOT NULL
);
CREATE INDEX tool_turn ON tool(turn);
CREATE INDEX tool_archive ON tool(archive);
CREATE TABLE usage (
    native TEXT PRIMARY KEY,
    session INTEGER NOT NULL REFERENCES session(id) ON DELETE CASCADE,
    scope TEXT NOT NULL DEFAULT '',
    model TEXT NOT NULL DEFAULT '',
    input INTEGER NOT NULL DEFAULT 0,
    output INTEGER NOT NULL DEFAULT 0,
    cached INTEGER NOT NULL DEFAULT 0,
    written INTEGER NOT NULL DEFAULT 0,
    at INTEGER NOT NULL
) WITHOUT ROWID;
CREATE INDEX usage_session ON usage(session);
CREATE TABLE audit (
    turn INTEGER PRIMARY KEY REFERENCES turn(id) ON DELETE CASCADE,
    session INTEGER NOT NULL,
    status TEXT NOT NULL,
    captured INTEGER NOT NULL DEFAULT 0,
    reason TEXT NOT NULL DEFAULT '',
    at INTEGER NOT NULL
);
CREATE TABLE todo (
    session INTEGER PRIMARY KEY REFERENCES session(id) ON DELETE CASCADE,
    items TEXT NOT NULL,
    plan TEXT NOT NULL DEFAULT '',
    at INTEGER NOT NULL
)
"""

MEMORY = f"""
CREATE TABLE memory (
    id INTEGER PRIMARY KEY,
    key TEXT NOT NULL UNIQUE,
    layer INTEGER NOT NULL,
    category TEXT NOT NULL,
    text TEXT NOT NULL,
    request TEXT NOT NULL DEFAULT '',
    turn INTEGER REFERENCES turn(id) ON DELETE SET NULL,
    session INTEGER,
    role TEXT NOT NULL DEFAULT '',
    tags TEXT NOT NULL DEFAULT '[]',
    confidence REAL NOT NULL,
    pinned INTEGER NOT NULL DEFAULT 0,
    active INTEGER NOT NULL DEFAULT 1,
    state TEXT NOT NULL DEFAULT 'active',
    reason TEXT NOT NULL DEFAULT '',
    created INTEGER NOT NULL,
    updated INTEGER NOT NULL,
    used INTEGER,
    uses INTEGER NOT NULL DEFAULT 0,
    forgotten INTEGER,
    supersedes INTEGER REFERENCES memory(id) ON DELETE SET NULL,
    conflicts INTEGER REFERENCES memory(id) ON DELETE SET NULL,
    outside INTEGER NOT NULL DEFAULT 0,
    curated INTEGER NOT NULL DEFAULT 0,
    file TEXT NOT NULL DEFAULT '',
    digest TEXT NOT NULL DEFAULT '',
    filed INTEGER NOT NULL DEFAULT -1,
    length INTEGER NOT NULL DEFAULT 0,
    handle TEXT NOT NULL DEFAULT '',
    terms BLOB,
    {_PROVENANCE}
);
CREATE INDEX memory_handle ON memory(handle);
CREATE INDEX memory_layer ON memory(layer, active, updated);
CREATE INDEX memory_turn ON memory(turn);
CREATE TABLE evidence (
    memory INTEGER NOT NULL REFERENCES memory(id) ON DELETE CASCADE,
    session INTEGER,
    turn INTEGER,
    message INTEGER,
    start INTEGER NOT NULL DEFAULT 0,
    "end" INTEGER NOT NULL DEFAULT 0,
    at INTEGER NOT NULL,
    UNIQUE (memory, turn, message, start)
);
CREATE INDEX evidence_session ON evidence(session);
CREATE TABLE history (
    id INTEGER PRIMARY KEY,
    memory INTEGER NOT NULL REFERENCES memory(id) ON DELETE CASCADE,
    text TEXT NOT NULL,
    category TEXT NOT NULL,
    why TEXT NOT NULL,
    at INTEGER NOT NULL
);
CREATE INDEX history_memory ON history(memory);
CREATE TABLE anchor (
    id INTEGER PRIMARY KEY,
    memory INTEGER NOT NULL REFERENCES memory(id) ON DELETE CASCADE,
    path TEXT NOT NULL,
    symbol TEXT NOT NULL DEFAULT '',
    line INTEGER NOT NULL DEFAULT 0,
    fingerprint TEXT NOT NULL DEFAULT '',
    state TEXT NOT NULL DEFAULT 'fresh',
    checked INTEGER NOT NULL DEFAULT 0,
    UNIQUE (memory, path, symbol)
);
CREATE INDEX anchor_path ON anchor(path);
CREATE TABLE candidate (
    id INTEGER PRIMARY KEY,
    key TEXT NOT NULL UNIQUE,
    category TEXT NOT NULL,
    text TEXT NOT NULL,
    signal TEXT NOT NULL DEFAULT '',
    session INTEGER REFERENCES session(id) ON DELETE CASCADE,
    turn INTEGER REFERENCES turn(id) ON DELETE CASCADE,
    message INTEGER,
    start INTEGER NOT NULL DEFAULT 0,
    "end" INTEGER NOT NULL DEFAULT 0,
    role TEXT NOT NULL DEFAULT '',
    confidence REAL NOT NULL,
    at INTEGER NOT NULL,
    due INTEGER NOT NULL,
    state TEXT NOT NULL DEFAULT 'pending',
    waits TEXT NOT NULL DEFAULT 'settling',
    reason TEXT NOT NULL DEFAULT '',
    resembles INTEGER REFERENCES memory(id) ON DELETE SET NULL,
    memory INTEGER REFERENCES memory(id) ON DELETE SET NULL,
    snoozed INTEGER,
    repeats INTEGER NOT NULL DEFAULT 1,
    file TEXT NOT NULL DEFAULT '',
    digest TEXT NOT NULL DEFAULT '',
    created INTEGER NOT NULL,
    updated INTEGER NOT NULL,
    {_PROVENANCE},
    UNIQUE (session, turn, category, text)
);
CREATE INDEX candidate_state ON candidate(state, due);
CREATE INDEX candidate_session ON candidate(session, state);
CREATE TABLE tombstone (
    id INTEGER PRIMARY KEY,
    kind TEXT NOT NULL,
    key TEXT NOT NULL,
    category TEXT NOT NULL,
    hashes BLOB NOT NULL,
    at INTEGER NOT NULL
);
CREATE TABLE suppression (
    native TEXT NOT NULL,
    start INTEGER NOT NULL DEFAULT 0,
    "end" INTEGER NOT NULL DEFAULT 0,
    digest TEXT NOT NULL DEFAULT '',
    at INTEGER NOT NULL,
    PRIMARY KEY (native, start)
) WITHOUT ROWID
"""

ARCHIVE = """
CREATE TABLE frame (
    id INTEGER PRIMARY KEY AUTOINCREMENT, bytes INTEGER NOT NULL, data BLOB NOT NULL
);
CREATE TABLE archive (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    handle TEXT NOT NULL UNIQUE,
    digest TEXT NOT NULL,
    bytes INTEGER NOT NULL,
    tokens INTEGER NOT NULL DEFAULT 0,
    state TEXT NOT NULL DEFAULT 'hot',
    data BLOB,
    frame INTEGER REFERENCES frame(id),
    offset INTEGER NOT NULL DEFAULT 0,
    observed INTEGER NOT NULL,
    session INTEGER,
    turn INTEGER,
    title TEXT NOT NULL DEFAULT '',
    kind TEXT NOT NULL DEFAULT '',
    secret INTEGER NOT NULL DEFAULT 0,
    gone INTEGER,
    why TEXT NOT NULL DEFAULT '',
    length INTEGER NOT NULL DEFAULT 0,
    author TEXT NOT NULL DEFAULT 'tool',
    origin TEXT NOT NULL DEFAULT 'automatic',
    taint INTEGER NOT NULL DEFAULT 1,
    redact_version INTEGER NOT NULL DEFAULT 0,
    terms_version INTEGER NOT NULL DEFAULT 0,
    version INTEGER NOT NULL DEFAULT 1
);
CREATE INDEX archive_state ON archive(state, observed);
CREATE INDEX archive_frame ON archive(frame);
CREATE TABLE reference (
    archive INTEGER NOT NULL REFERENCES archive(id) ON DELETE CASCADE,
    kind TEXT NOT NULL,
    owner TEXT NOT NULL,
    until INTEGER,
    PRIMARY KEY (archive, kind, owner)
) WITHOUT ROWID;
CREATE INDEX reference_owner ON reference(kind, owner);
CREATE TABLE transcript (
    id INTEGER PRIMARY KEY,
    session INTEGER REFERENCES session(id) ON DELETE CASCADE,
    scope TEXT NOT NULL DEFAULT '',
    agent TEXT NOT NULL,
    name TEXT NOT NULL,
    path TEXT NOT NULL,
    device TEXT NOT NULL DEFAULT '',
    generation INTEGER NOT NULL DEFAULT 1,
    bytes INTEGER NOT NULL DEFAULT 0,
    loose INTEGER NOT NULL DEFAULT 0,
    cut INTEGER NOT NULL DEFAULT 0,
    at INTEGER NOT NULL,
    gone INTEGER,
    why TEXT NOT NULL DEFAULT '',
    UNIQUE (path, generation)
);
CREATE INDEX transcript_session ON transcript(session);
CREATE TABLE part (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    digest TEXT NOT NULL UNIQUE,
    bytes INTEGER NOT NULL,
    codec TEXT NOT NULL,
    data BLOB NOT NULL
);
CREATE TABLE transcript_part (
    transcript INTEGER NOT NULL REFERENCES transcript(id) ON DELETE CASCADE,
    start INTEGER NOT NULL,
    bytes INTEGER NOT NULL,
    part INTEGER NOT NULL REFERENCES part(id),
    PRIMARY KEY (transcript, start)
) WITHOUT ROWID;
CREATE INDEX transcript_part_part ON transcript_part(part);
CREATE TABLE transcript_cut (
    transcript INTEGER NOT NULL REFERENCES transcript(id) ON DELETE CASCADE,
    start INTEGER NOT NULL,
    "end" INTEGER NOT NULL,
    PRIMARY KEY (transcript, start)
) WITHOUT ROWID;
CREATE TABLE cursor (
    path TEXT PRIMARY KEY,
    agent TEXT NOT NULL,
    device TEXT NOT NULL,
    offset INTEGER NOT NULL DEFAULT 0,
    size INTEGER NOT NULL DEFAULT 0,
    tail BLOB NOT NULL DEFAULT x'',
    state TEXT NOT NULL DEFAULT '{}',
    skipped INTEGER NOT NULL DEFAULT 0,
    unknown TEXT NOT NULL DEFAULT '{}',
    transcript INTEGER REFERENCES transcript(id) ON DELETE SET NULL,
    at INTEGER NOT NULL
) WITHOUT ROWID
"""

LEDGER = """
CREATE TABLE shown (
    id INTEGER PRIMARY KEY,
    session INTEGER NOT NULL REFERENCES session(id) ON DELETE CASCADE,
    scope TEXT NOT NULL DEFAULT '',
    epoch INTEGER NOT NULL DEFAULT 0,
    path TEXT NOT NULL,
    first INTEGER NOT NULL,
    last INTEGER NOT NULL,
    total INTEGER NOT NULL DEFAULT 0,
    fingerprint TEXT NOT NULL,
    structure TEXT NOT NULL DEFAULT '',
    archive INTEGER REFERENCES archive(id),
    turn INTEGER,
    native TEXT UNIQUE,
    tokens INTEGER NOT NULL DEFAULT 0,
    at INTEGER NOT NULL
);
CREATE INDEX shown_path ON shown(path, at);
CREATE INDEX shown_reader ON shown(session, scope, epoch, path);
CREATE TABLE edit (
    id INTEGER PRIMARY KEY,
    session INTEGER NOT NULL REFERENCES session(id) ON DELETE CASCADE,
    scope TEXT NOT NULL DEFAULT '',
    turn INTEGER,
    path TEXT NOT NULL,
    native TEXT UNIQUE,
    lines INTEGER NOT NULL DEFAULT 0,
    at INTEGER NOT NULL
);
CREATE INDEX edit_path ON edit(path, at);
CREATE INDEX edit_session ON edit(session);
CREATE TABLE receipt (
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL,
    kind TEXT NOT NULL,
    session INTEGER,
    native TEXT NOT NULL DEFAULT '',
    turn INTEGER,
    agent TEXT NOT NULL DEFAULT '',
    role TEXT NOT NULL DEFAULT '',
    at INTEGER NOT NULL,
    prompt TEXT NOT NULL DEFAULT '',
    query TEXT NOT NULL DEFAULT '',
    text TEXT NOT NULL,
    tokens INTEGER NOT NULL,
    estimator TEXT NOT NULL,
    layers TEXT NOT NULL DEFAULT '{}',
    epoch INTEGER NOT NULL DEFAULT 0,
    control TEXT NOT NULL DEFAULT '',
    erased INTEGER NOT NULL DEFAULT 0,
    version INTEGER NOT NULL DEFAULT 1
);
CREATE INDEX receipt_session ON receipt(native, at);
CREATE INDEX receipt_name ON receipt(name);
CREATE TABLE receipt_item (
    receipt INTEGER NOT NULL REFERENCES receipt(id) ON DELETE CASCADE,
    position INTEGER NOT NULL,
    item TEXT NOT NULL,
    layer TEXT NOT NULL,
    category TEXT NOT NULL,
    score REAL NOT NULL,
    text TEXT NOT NULL,
    tokens INTEGER NOT NULL DEFAULT 0,
    source TEXT NOT NULL DEFAULT 'null',
    PRIMARY KEY (receipt, position)
) WITHOUT ROWID;
CREATE INDEX receipt_item_item ON receipt_item(item);
CREATE TABLE account (
    id INTEGER PRIMARY KEY,
    at INTEGER NOT NULL,
    session INTEGER,
    native TEXT NOT NULL DEFAULT '',
    role TEXT NOT NULL DEFAULT '',
    feature TEXT NOT NULL,
    kind TEXT NOT NULL,
    tokens INTEGER NOT NULL,
    times INTEGER NOT NULL DEFAULT 1,
    basis TEXT NOT NULL,
    estimator TEXT NOT NULL,
    receipt INTEGER,
    reverses INTEGER REFERENCES account(id)
);
CREATE INDEX account_role ON account(role, feature);
CREATE TABLE running (
    role TEXT NOT NULL,
    feature TEXT NOT NULL,
    samples INTEGER NOT NULL DEFAULT 0,
    mean REAL NOT NULL DEFAULT 0,
    squares REAL NOT NULL DEFAULT 0,
    state TEXT NOT NULL DEFAULT 'on',
    reason TEXT NOT NULL DEFAULT '',
    at INTEGER NOT NULL DEFAULT 0,
    PRIMARY KEY (role, feature)
) WITHOUT ROWID;
CREATE TABLE setting (
    name TEXT PRIMARY KEY, value TEXT NOT NULL, at INTEGER NOT NULL
) WITHOUT ROWID;
CREATE TABLE job (
    id INTEGER PRIMARY KEY, kind TEXT NOT NULL, payload TEXT NOT NULL,
    state TEXT NOT NULL DEFAULT 'open',
    tries INTEGER NOT NULL DEFAULT 0,
    error TEXT NOT NULL DEFAULT '',
    at INTEGER NOT NULL
);
CREATE TABLE lease (
    name TEXT PRIMARY KEY, holder TEXT NOT NULL, until INTEGER NOT NULL
) WITHOUT ROWID;
CREATE TABLE handoff (
    session INTEGER PRIMARY KEY REFERENCES session(id) ON DELETE CASCADE,
    why TEXT NOT NULL,
    seen INTEGER NOT NULL,
    digest TEXT NOT NULL,
    at INTEGER NOT NULL
);
CREATE TABLE claim (
    session INTEGER NOT NULL REFERENCES session(id) ON DELETE CASCADE,
    path TEXT NOT NULL,
    at INTEGER NOT NULL,
    PRIMARY KEY (session, path)
) WITHOUT ROWID
"""

# Contentless: deleting a row takes exactly the terms it was indexed with, made again
# from its text.  ``ascii`` with every mark a token character keeps ``c++`` from ``c``.
MARKS = "".join(chr(code) for code in range(33, 127) if not chr(code).isalnum())
FTS = (
    "CREATE VIRTUAL TABLE {name} USING fts5"
    "(terms, content='', detail=none, tokenize={tokenize})"
)

# The full-text tables, one a searchable kind.
TERM_TABLES = ("message_terms", "memory_terms", "archive_terms")
