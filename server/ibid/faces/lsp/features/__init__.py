"""One module a feature of the language server; each exports ``register``."""

from __future__ import annotations

from ibid.faces.lsp import status
from ibid.faces.lsp.features import (
    acting,
    code,
    doctoring,
    documents,
    files,
    handing,
    notefiles,
    notes,
    opening,
    pointing,
    policies,
    projects,
    queue,
    reads,
    recall,
    receipts,
    replaying,
)

FEATURES = (
    status.register,
    recall.register,
    notes.register,
    queue.register,
    receipts.register,
    policies.register,
    projects.register,
    handing.register,
    notefiles.register,
    files.register,
    documents.register,
    doctoring.register,
    code.register,
    acting.register,
    reads.register,
    opening.register,
    pointing.register,
    replaying.register,
)
