/** What the figures of the process mean, in one sentence each, by their names. */
export const PROCESS_HELPS: Readonly<Record<string, string>> = {
  heap_used_bytes: "V8's heap that is in use.",
  heap_total_bytes: "V8's heap, its garbage and room among it.",
  rss_bytes: 'Memory of the process, files of its program among it.',
  array_buffer_bytes: 'Memory of buffers outside of the heap.',
  cpu_seconds_total: 'Processor time of the process, in user and system mode.',
  loop_delay_max_ms: 'Longest delay of the event loop in the newest minute.',
  loop_delay_p99_ms: '99th percentile of the delay of the event loop in the newest minute.',
  loop_delay_now_ms: 'Longest delay of the event loop in the newest seconds.',
  gc_total: 'Garbage collections since the start.',
  gc_seconds_total: 'Time that garbage collections took.',
  gc_pause_max_ms: 'Longest garbage collection of the newest minute.',
  uptime_seconds: 'Time since the process began.',
  loop_stalls_total: 'Turns of the event loop above 50 ms, or above 20 ms of its own.',
  loop_own_stalls_total: 'Turns of the event loop that were long by what the service itself did.',
  tls_certificate_ends_seconds: 'Unix time at which the TLS certificate ends, in seconds.',
}
