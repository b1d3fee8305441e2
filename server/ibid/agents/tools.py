"""What a tool's name says: its kind, its MCP server, the provenance flags it sets."""

from __future__ import annotations

from ibid.agents import events

OWN_SERVER = "ibid"
"""Our own MCP server: its answers are recalled memory, not outside text (B7)."""

_KINDS = {
    "read": "Read NotebookRead read_file read_many_files view view_file",
    "edit": "Edit MultiEdit NotebookEdit EditNotebook apply_patch ApplyPatch patch "
    "replace str_replace str_replace_editor StrReplace search_replace "
    "edit_file edit_notebook_file "
    "replace_string_in_file multi_replace_string_in_file insert_edit_into_file",
    "write": "Write write_file create create_file Delete delete_file",
    "exec": "Bash BashOutput KillBash KillShell PowerShell Shell Exec exec_command "
    "TaskOutput TaskStop Monitor shell_command local_shell write_stdin "
    "run_shell_command run_terminal_cmd run_in_terminal get_terminal_output run_task "
    "read_bash write_bash stop_bash list_bash read_powershell write_powershell "
    "stop_powershell list_powershell",
    "search": "Grep Glob LS LSP ToolSearch tool_search list list_dir list_directory "
    "grep_search search_file_content grep_files file_search semantic_search "
    "codebase_search codesearch rg SemanticSearch list_code_usages",
    "web": "WebFetch WebSearch web_fetch web_search google_web_search fetch_webpage "
    "fetch fetch_url web_search_call open_simple_browser",
    "agent": "Task Agent SendMessage TeamCreate TeamDelete Workflow spawn_agent "
    "send_input wait_agent close_agent resume_agent delegate_to_agent runSubagent "
    "codebase_investigator read_agent list_agents write_agent",
}
_KIND_OF = {
    name.lower(): kind for kind, names in _KINDS.items() for name in names.split()
}
_BROWSERS = ("browser", "chrome", "playwright", "puppeteer", "webfetch", "websearch")


def kind_of(name: str) -> str:
    """Return the kind of the tool ``name``: see `ibid.agents.events.Tool`."""
    kind = _KIND_OF.get(name.lower(), "other")
    if kind == "other" and name.startswith("mcp__"):
        lowered = name.lower()
        if any(word in lowered for word in _BROWSERS):
            return "web"
    return kind


def server_of(name: str) -> str:
    """Return the MCP server in ``mcp__SERVER__TOOL``, or "" for other tools.

    Ours is always called `OWN_SERVER`, also when a plugin brings it along.
    """
    if not name.startswith("mcp__"):
        return ""
    server = name[5:].partition("__")[0]
    own = server.startswith("plugin_") and server.endswith(f"_{OWN_SERVER}")
    return OWN_SERVER if own else server


def flags_of(kind: str, server: str, *, images: bool = False) -> tuple[str, ...]:
    """Return the provenance flags that a call of such a tool gives its turn (B7)."""
    flags = [events.TOOLS]
    if server == OWN_SERVER:
        flags.append(events.RECALLED)
    elif server:
        flags.append(events.MCP)
    if kind == "web":
        flags.append(events.BROWSER)
    if kind in {"read", "edit", "write"}:
        flags.append(events.FILES)
    if images:
        flags.append(events.IMAGES)
    return tuple(flags)
