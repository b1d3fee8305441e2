"""The kinds of records and items that are known and say nothing here.

What stands neither in these lists nor in a reader's own table is counted: an alarm for
a format that drifted.
"""

from __future__ import annotations

RECORDS = frozenset(
    {
        "world_state",
        "token_usage_record",
        "state",
        "ghost_snapshot",
        "inter_agent_communication",
        "executed_tool_calls",
    }
)

ITEMS = frozenset(
    {
        "additional_tools",
        "agent_message",
        "compaction",
        "compaction_summary",
        "compaction_trigger",
        "context_compaction",
        "ghost_snapshot",
        "image_generation_call",
        "other",
        "reasoning",
        "web_search_call",
    }
)

EVENTS = frozenset(
    {
        "agent_message",
        "agent_message_delta",
        "agent_reasoning",
        "agent_reasoning_delta",
        "agent_reasoning_raw_content",
        "agent_reasoning_section_break",
        "apply_patch_approval_request",
        "background_event",
        "collab_agent_interaction_begin",
        "collab_agent_interaction_end",
        "collab_agent_spawn_begin",
        "collab_agent_spawn_end",
        "collab_close_begin",
        "collab_close_end",
        "collab_resume_begin",
        "collab_resume_end",
        "collab_waiting_begin",
        "collab_waiting_end",
        "context_compacted",
        "deprecation_notice",
        "dynamic_tool_call_request",
        "dynamic_tool_call_response",
        "elicitation_request",
        "entered_review_mode",
        "exec_approval_request",
        "exec_command_begin",
        "exec_command_output_delta",
        "exited_review_mode",
        "guardian_assessment",
        "guardian_warning",
        "hook_completed",
        "hook_started",
        "image_generation_begin",
        "image_generation_end",
        "item_started",
        "mcp_startup_complete",
        "mcp_startup_update",
        "mcp_tool_call_begin",
        "model_reroute",
        "model_verification",
        "patch_apply_begin",
        "patch_apply_updated",
        "plan_delta",
        "plan_update",
        "request_permissions",
        "request_user_input",
        "safety_buffering",
        "session_configured",
        "shutdown_complete",
        "stream_error",
        "sub_agent_activity",
        "terminal_interaction",
        "thread_goal_updated",
        "thread_settings_applied",
        "turn_diff",
        "turn_moderation_metadata",
        "undo_completed",
        "undo_started",
        "view_image_tool_call",
        "warning",
        "web_search_begin",
    }
)
