/** Every bound of what operators see and set, beside those of the service as a whole (limits.ts). */
export const monitorBounds = {
  /** Batches of each kind that are listed. */
  batchesKept: 200,
  /** Milliseconds that a part of the service may take to answer when its health is checked. */
  healthCheckMs: 5_000,
  /** Watchdogs of one service. */
  watchdogsMax: 500,
  /** Alerts of watchdogs that are kept for integrations that are away, and for how long. */
  alertsKept: 10_000,
  alertDaysMax: 7,
  /** Integrations that one watchdog is told by. */
  watchdogIntegrationsMax: 16,
  /** Seconds between two looks of a watchdog at most. */
  watchdogIntervalSecondsMax: 86_400,
  /** Seconds that a watchdog looks back over at most. */
  watchdogWindowSecondsMax: 7 * 86_400,
  /** Milliseconds that whoever reads nothing of an export of the log is waited for. */
  exportStallMs: 60_000,
} as const
