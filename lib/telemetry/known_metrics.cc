// The table of all metrics of the three programs: name, type, meaning. docs/operations.md says what
// to do about each of them.
#include "lib/telemetry/metrics.h"

namespace telemetry {

namespace {

constexpr MetricInfo kMetrics[] = {
    // Every program.
    {"agent_memory_build_info", "gauge", "Always 1; the version is a label."},
    {"process_open_fds", "gauge", "Open file descriptors."},
    {"process_resident_memory_bytes", "gauge", "Resident memory in bytes."},
    {"process_threads", "gauge", "Threads."},
    {"agent_memory_budget_highest_bytes", "gauge",
     "The most that requests held of the memory budget since the start."},
    {"agent_memory_budget_limit_bytes", "gauge",
     "The memory budget: what bodies with their copies, and answers not yet sent, may hold."},
    {"agent_memory_budget_refusals_total", "counter",
     "Requests that the memory budget refused, by server and code: 413 (they never fit), 503."},
    {"agent_memory_budget_used_bytes", "gauge", "What requests hold of the memory budget now."},
    {"agent_memory_http_requests_total", "counter",
     "Requests answered, by server, route pattern (none: no route fits), method and status "
     "code."},
    {"agent_memory_http_request_seconds", "histogram",
     "Seconds from the request read to the answer written, by server and route pattern."},
    {"agent_memory_last_error_timestamp_seconds", "gauge",
     "When the last line of level error was logged, in seconds since 1970; 0: never."},
    {"agent_memory_log_lines", "gauge", "Lines logged since the start, by level: warn, error."},
    {"agent_memory_ready", "gauge", "1 when /readyz answers 200, else 0."},
    {"agent_memory_trace_spans_total", "counter",
     "Spans ended while traces are exported, by fate: exported, failed (the collector did not "
     "take them), dropped (the queue was full, or the program ended)."},
    // The operator: controller-runtime's names, so that existing dashboards fit.
    {"controller_runtime_reconcile_total", "counter", "Reconciles, by controller and result."},
    {"controller_runtime_reconcile_time_seconds", "histogram", "Seconds that a reconcile took."},
    {"controller_runtime_reconcile_errors_total", "counter",
     "Reconciles that failed, by controller."},
    {"controller_runtime_reconcile_panics_total", "counter",
     "Reconciles that ended with an exception, by controller."},
    {"controller_runtime_max_concurrent_reconciles", "gauge",
     "Reconciles that may run at once, by controller."},
    {"controller_runtime_active_workers", "gauge", "Reconciles that run now, by controller."},
    {"workqueue_adds_total", "counter", "Keys handed to the queue, those that waited already too."},
    {"workqueue_retries_total", "counter", "Keys that wait for another try after a failure."},
    {"workqueue_queue_duration_seconds", "histogram",
     "Seconds that a key was ready and waited for a worker."},
    {"workqueue_work_duration_seconds", "histogram", "Seconds that the work on a key took."},
    {"workqueue_unfinished_work_seconds", "gauge",
     "Seconds that all running reconciles have run, added up."},
    {"rest_client_request_duration_seconds", "histogram",
     "Seconds until the API server answered, by verb; watches are left out."},
    {"agent_memory_operator_watch_ends_total", "counter",
     "Watches that ended, by resource and reason: closed, expired, version_too_large, idle, "
     "failed."},
    {"agent_memory_operator_cache_objects", "gauge", "Objects in the cache, by resource."},
    {"agent_memory_operator_cache_bytes", "gauge", "Bytes of them as kept, by resource."},
    {"agent_memory_operator_webhook_certificate_days_left", "gauge",
     "Days until the certificate that the admission webhook shows has ended."},
    {"workqueue_depth", "gauge", "Keys that wait for a worker."},
    {"workqueue_longest_running_processor_seconds", "gauge",
     "Seconds that the longest running reconcile has run."},
    {"agentops_injection_skipped_total", "counter",
     "Pods with an Agent's label that no sidecar could serve."},
    {"leader_election_master_status", "gauge",
     "1 when this replica leads, 0 when it stands by, by name of the lease."},
    {"rest_client_requests_total", "counter",
     "Calls to the API server, by method and status code (0: no answer came)."},
    // The sidecar.
    {"agent_memory_sidecar_audit_unread", "gauge",
     "Rows of the audit log that nobody said to have read; they are not removed."},
    {"agent_memory_sidecar_captures_total", "counter", "Observations captured, by rule."},
    {"agent_memory_sidecar_rule_drops_total", "counter",
     "Results that a rule matched and that were not kept, or that it was not tried on for lack of "
     "time, by rule."},
    {"agent_memory_sidecar_rule_matches_total", "counter", "Results that a rule matched, by rule."},
    {"agent_memory_sidecar_rule_seconds_total", "counter",
     "Seconds of processor time that a rule took, by rule."},
    {"agent_memory_sidecar_damaged_files", "gauge",
     "Times that a damaged state.db was set aside, over the life of the volume; at most 20."},
    {"agent_memory_sidecar_damaged_rows", "gauge",
     "Rows of state.db that the disk changed and that are left out, over the life of the file, by "
     "table."},
    {"agent_memory_sidecar_denials_total", "counter", "Tool calls answered with deny."},
    {"agent_memory_sidecar_forgotten_total", "counter",
     "What was deleted, by what (answers, injections, ledgers, conversations, audit, messages) and "
     "reason: age, share (of the volume)."},
    {"agent_memory_sidecar_hooks_mended_total", "counter",
     "Hook events mended to be read, by what: characters, cut, levels, numbers, twins."},
    {"agent_memory_sidecar_hooks_refused_total", "counter",
     "Hook events answered with an error, by reason; full: the outbox has no room."},
    {"agent_memory_sidecar_hooks_total", "counter", "Hook events taken, by event name."},
    {"agent_memory_sidecar_idle_sessions_total", "counter",
     "Sessions ended because they were not used for session-idle."},
    {"agent_memory_sidecar_injected_items_total", "counter", "Memories put into prompts."},
    {"agent_memory_sidecar_kept_bytes", "gauge", "Bytes of those rows."},
    {"agent_memory_sidecar_kept_rows", "gauge",
     "Rows in state.db, by what: answers, injections, ledgers, conversations, audit, messages."},
    {"agent_memory_sidecar_outbox_dead_bytes", "gauge", "Bytes of dead letters in the outbox."},
    {"agent_memory_sidecar_outbox_pending_bytes", "gauge", "Bytes that wait in the outbox."},
    {"agent_memory_sidecar_outbox_suspended", "gauge", "1: all writes wait, by reason."},
    {"agent_memory_sidecar_outbox_writes", "gauge",
     "Writes over the life of the volume, by state: accepted = delivered + pending + dead + "
     "discarded."},
    {"agent_memory_sidecar_over_budget_total", "counter",
     "Hook events whose text took more processor time than 250 ms, by step: denial, redaction."},
    {"agent_memory_sidecar_policy_matches_file", "gauge",
     "1 when the policy file is the one in force, 0 when it was refused or is missing."},
    {"agent_memory_sidecar_policy_rejected", "gauge", "Policy files refused since the start."},
    {"agent_memory_sidecar_policy_reloads", "gauge", "Policies taken since the start."},
    {"agent_memory_sidecar_recalls_total", "counter",
     "Searches for a turn, by outcome: ok, off, timeout, unavailable, breaker_open."},
    {"agent_memory_sidecar_redactions_total", "counter", "Secrets taken out of text, by kind."},
    {"agent_memory_sidecar_server_reachable", "gauge",
     "1 when the memory server answered the last delivery."},
    {"agent_memory_sidecar_state_bytes", "gauge",
     "Bytes of state.db that are in use, without the pages that deletes freed."},
    {"agent_memory_sidecar_state_limit_bytes", "gauge", "Above it the oldest rows go."},
    {"agent_memory_sidecar_unjudged_calls_total", "counter",
     "Tool calls of which allowedPaths or blockedCommands cannot judge all."},
    // The memory server.
    {"agent_memory_server_anonymous", "gauge",
     "1 when callers without a token are let in (--auth none, --anonymous-namespace), else 0."},
    {"agent_memory_log_bytes", "gauge",
     "Bytes of the longest log of an open tenant that readers keep out of its file."},
    {"agent_memory_server_erasures_due", "gauge",
     "Hard deletes whose words may still be in files of open tenants."},
    {"agent_memory_server_erasures_total", "counter",
     "Hard deletes of which no word is left in file, log and index."},
    {"agent_memory_server_file_bytes", "gauge",
     "Bytes of all tenants' files, by part: database, log (written and not merged yet)."},
    {"agent_memory_server_ballast_bytes", "gauge",
     "Room kept for deletes on a full volume; 0 while the volume is full."},
    {"agent_memory_server_checks_total", "counter",
     "Files looked through for damage, by outcome: sound, damaged, mended (the index was made "
     "again "
     "from the rows), skipped (no room, too busy)."},
    {"agent_memory_server_damaged_files", "gauge", "Files that are known to be damaged."},
    {"agent_memory_server_free_bytes", "gauge", "Free space of the data directory in bytes."},
    {"agent_memory_server_identities_total", "counter",
     "Callers looked at, by outcome: remembered, reviewed, anonymous, bridged (served while "
     "nobody could be asked), missing, refused, forbidden, unavailable."},
    {"agent_memory_server_cache_bytes", "gauge", "Page caches of all files that are open."},
    {"agent_memory_server_index_bytes", "gauge", "Words of projects that are kept in memory."},
    {"agent_memory_server_open_tenants", "gauge", "Tenants whose files are open."},
    {"agent_memory_server_over_cap_rows", "gauge",
     "Observations above a maxRows that stay, since they were used lately."},
    {"agent_memory_server_partial_searches_total", "counter", "Searches cut at their deadline."},
    {"agent_memory_server_reads_cut_off_total", "counter",
     "Reads that were ended at their time, or found no connection within it."},
    {"agent_memory_server_queued_writes", "gauge", "Writes that wait for the writer."},
    {"agent_memory_server_quota_refusals_total", "counter",
     "Requests answered with 429, by the budget that was used up: writes, replay, import."},
    {"agent_memory_server_quota_used_ratio", "gauge",
     "What the open tenant that keeps most has used of its quota, by quota: rows, bytes; 1: its "
     "writes are refused, 0: there is no limit."},
    {"agent_memory_server_recalled_items_total", "counter",
     "Observations returned by /context, by method."},
    {"agent_memory_server_retention_rows_total", "counter",
     "Rows that retention hid (ttl, cap), brought back (restored) or removed (purged, revisions, "
     "idempotency), by what."},
    {"agent_memory_server_rows", "gauge", "Memories of all open tenants."},
    {"agent_memory_server_spool_bytes", "gauge",
     "Uploads and copies as SQLite files that are on the volume now."},
    {"agent_memory_server_tenants", "gauge", "Tenants that have a file."},
    {"agent_memory_server_writes_total", "counter", "Observations posted, by action."},
};

}  // namespace

const std::vector<MetricInfo>& KnownMetrics() {
  static const std::vector<MetricInfo> known(std::begin(kMetrics), std::end(kMetrics));
  return known;
}

}  // namespace telemetry
