/**
 * Has gates looked at where no event does it: deadlines pass and weeks end in idle jobs too.
 *
 * 1. No state is kept here: the store says what is due.
 */
import { weekOf } from '../../domain/autonomy/gate.js'
import type { ResourceStore } from '../../resource/resource-store.js'
import { encodeAutonomyCommand } from '../../actor/autonomy/autonomy-command.js'
import type { AutonomyNow } from '../../actor/autonomy/gate-state.js'
import type { IngestClock } from '../../runtime/ingest-clock.js'
import type { AuditCollector } from '../audit/audit-collector.js'
import type { ReadableShards } from '../read/job-reader.js'

export interface GateChecksDeps {
  readonly resources: Pick<ResourceStore, 'jobs'>
  readonly shards: Pick<ReadableShards, 'reader' | 'insist'>
  readonly collector: Pick<AuditCollector, 'request'>
  readonly clock: Pick<IngestClock, 'nowMicros'>
  /** False while the engine shuts down. */
  accepting(): boolean
  failed(what: string, error: unknown): void
}

const CHECK_MS = 20_000

/** Whether a deadline has passed or a week has ended since the gates were last judged. */
export function isCheckDue(now: AutonomyNow | null, nowMicros: number): boolean {
  if (now === null) return false
  const { row, firstDueMicros } = now
  if (row.contract.mode === 'off' || nowMicros < row.judgedMicros) return false
  if (firstDueMicros !== null && firstDueMicros <= nowMicros) return true
  return row.gates.some((gate) => {
    return weekOf(gate.startedMicros, nowMicros) !== weekOf(gate.startedMicros, row.judgedMicros)
  })
}

export class GateChecks {
  readonly #deps: GateChecksDeps
  readonly #busy = new Set<number>()
  #timer: NodeJS.Timeout | null = null

  constructor(deps: GateChecksDeps) {
    this.#deps = deps
  }

  start(): void {
    this.#timer ??= setInterval(() => this.check(), CHECK_MS).unref()
  }

  check(): void {
    const { resources, shards, collector, clock, accepting, failed } = this.#deps
    const nowMicros = clock.nowMicros()
    for (const job of resources.jobs()) {
      const now = shards.reader(job.shard).autonomy(job.id)
      if (now === null || this.#busy.has(job.id) || !accepting()) continue
      // Events may have changed a gate: its certificate waits to be taken.
      if (now.row.contract.mode !== 'off') collector.request(job.shard)
      if (!isCheckDue(now, nowMicros)) continue
      this.#busy.add(job.id)
      shards
        .insist(job, 'autonomy', encodeAutonomyCommand({ op: 'check' }))
        .then(() => collector.request(job.shard))
        .catch((error: unknown) => {
          if (accepting()) failed('the deadlines of audits could not be looked at', error)
        })
        .finally(() => this.#busy.delete(job.id))
    }
  }

  close(): void {
    if (this.#timer !== null) clearInterval(this.#timer)
    this.#timer = null
  }
}
