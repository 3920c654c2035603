/** Bounds of what operators see and set. Those of the service as a whole are in limits.ts. */
export const monitorBounds = {
  /** Batches of each kind that are listed. */
  batchesKept: 200,
  /** Milliseconds that a container may take to answer a health check. */
  healthCheckMs: 5_000,
  /** Watchdogs of one service. */
  watchdogsMax: 500,
  /** Alerts of watchdogs kept for integrations that are away. */
  alertsKept: 10_000,
  /** Days for which they are kept. */
  alertDaysMax: 7,
  /** Integrations that tell of one watchdog. */
  watchdogIntegrationsMax: 16,
  /** Longest time between two checks of a watchdog, seconds. */
  watchdogIntervalSecondsMax: 86_400,
  /** Longest time for which a value must be bad, and in which a watchdog tells once, seconds. */
  watchdogWindowSecondsMax: 7 * 86_400,
  /** Shortest time between two reminders, seconds. */
  watchdogReminderSecondsMin: 60,
  /** Milliseconds after which an export of the log ends because its client reads nothing. */
  exportStallMs: 60_000,
} as const
