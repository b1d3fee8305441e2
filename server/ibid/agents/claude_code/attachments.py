"""What the harness puts before the model by itself, and which of it is ours (G6)."""

from __future__ import annotations

from typing import Any

from ibid.agents.events import Head, Injected
from ibid.agents.fields import dict_of, text_of, texts_of
from ibid.agents.own import is_own

# Attachments with text that the model reads; the key under which it stands.
TEXTS = {
    "hook_additional_context": "content",
    "hook_success": "stdout",
    "hook_system_message": "content",
    "async_hook_response": "stdout",
    "hook_blocking_error": "blockingError",
    "mcp_instructions_delta": "addedBlocks",
    "nested_memory": "content",
    "relevant_memories": "memories",
    "edited_text_file": "snippet",
    "selected_lines_in_ide": "content",
    "invoked_skills": "skills",
    "plan_file_reference": "planContent",
    "mcp_resource": "content",
    "directory": "content",
}
_OWN_COMMAND = "ibid hook"


def injected(attachment: dict[str, Any], head: Head) -> Injected | None:
    """Return the text that an attachment of `TEXTS` puts before the model, if any."""
    kind = text_of(attachment, "type")
    key = TEXTS[kind]
    texts = [text for text in texts_of(attachment, key) if text]
    texts = texts or texts_of(attachment, "content")
    nested = dict_of(attachment, key)
    if nested:
        texts = texts_of(nested, "content") or texts_of(nested, "blockingError")
    text = "\n".join(texts)
    own = is_own(text) or _OWN_COMMAND in text_of(attachment, "command")
    if not text.strip():
        return None
    return Injected(head, text_of(attachment, "hookName") or kind, text, own)
