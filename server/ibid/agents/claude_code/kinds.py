"""The kinds of records, attachments and blocks that are known and say nothing here.

What stands neither in these lists nor in a reader's own table is counted: an alarm for
a format that drifted.
"""

from __future__ import annotations

RECORDS = frozenset(
    {
        "agent-color",
        "agent-name",
        "artifact-autoreact-ledger",
        "artifact-comment-monitor",
        "atis-latch",
        "attribution-snapshot",
        "bridge-session",
        "continued-in",
        "cost-state",
        "ended-by-model",
        "file-history-delta",
        "file-history-snapshot",
        "fork-context-ref",
        "frame-link",
        "last-prompt",
        "mode",
        "permission-mode",
        "pr-link",
        "relocated",
        "speculation-accept",
        "summary",  # A title, possibly of another session of the project.
        "tag",
        "task-summary",
        "worktree-state",
    }
)

SYSTEM = frozenset(
    {
        "agents_killed",
        "api_error",  # A retry: not an end.
        "api_metrics",
        "away_summary",
        "bridge_status",
        "file_snapshot",
        "informational",
        "memory_saved",
        "permission_retry",
        "scheduled_task_fire",
        "thinking",
    }
)

BLOCKS = frozenset({"thinking", "redacted_thinking", "server_tool_use"})

ATTACHMENTS = frozenset(
    {
        "agent_listing_delta",
        "agent_mention",
        "already_read_file",
        "auto_mode",
        "auto_mode_exit",
        "budget_usd",
        "command_permissions",
        "compact_file_reference",
        "compaction_reminder",
        "critical_system_reminder",
        "date",
        "date_change",
        "deferred_tools_delta",
        "deferred_tools_record",
        "diagnostics",
        "dynamic_skill",
        "environment",
        "goal_status",
        "hook_cancelled",
        "hook_error_during_execution",
        "hook_non_blocking_error",
        "hook_permission_decision",
        "hook_stopped_continuation",
        "instructions",
        "max_turns_reached",
        "memory_files",
        "model",
        "opened_file_in_ide",
        "output_style",
        "output_token_usage",
        "pdf_reference",
        "plan_mode",
        "plan_mode_exit",
        "plan_mode_reentry",
        "prompt_snapshot",
        "read_truncation_notice",
        "remote_session_change",
        "silent_turn_reminder",
        "skill_discovery",
        "skill_listing",
        "structured_output",
        "task_reminder",
        "task_status",
        "team_context",
        "teammate_mailbox",
        "todo",
        "todo_reminder",
        "token_usage",
        "total_tokens_reminder",
        "ultra_effort_enter",
        "ultra_effort_exit",
        "ultrathink_effort",
        "verify_plan_reminder",
        "workflow_keyword_request",
    }
)
