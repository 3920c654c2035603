/** The contract of autonomy: what a job settles by itself, what proves that it may, and what it leaves to people. */
import type { AutonomyMode, ContractInput } from '../domain/autonomy/contract.js'
import type { GateState } from '../domain/autonomy/gate.js'
import type { Author, JobHandle } from './principal.js'

export type { AutonomyMode, ContractInput } from '../domain/autonomy/contract.js'

/** A gate and its evidence. Rates are shares, 0 to 1; thresholds are percent. */
export interface GateView {
  readonly gateId: string
  readonly label: string
  readonly threshold: number
  readonly modelId: string
  readonly exclusions: number
  readonly state: GateState
  /** Why it is in its state, as a word and as a sentence. */
  readonly reason: string
  readonly message: string
  readonly sinceMicros: number
  readonly startedMicros: number
  readonly epsilon: number
  readonly delta: number
  readonly statement: string
  /** With confidence 1 - δ at most this share of the settled events is wrong; null where nothing is known. */
  readonly bound: number | null
  /** The same for the share of protected events that were settled; null where nothing was settled. */
  readonly protectedBound: number | null
  readonly rates: readonly string[]
  readonly certified: boolean
  readonly audits: number
  readonly failures: number
  /** Audits that nobody has answered yet. */
  readonly pending: number
  /** Clean answers that count when the audits before them are answered. */
  readonly waiting: number
  readonly settled: number
  readonly protectedEvents: number
  readonly secondOpinions: { readonly answered: number; readonly differ: number; readonly message: string }
}

export interface AutonomyView {
  readonly mode: AutonomyMode
  readonly holdOutRate: number
  readonly revokeOnMiss: boolean
  readonly auditDeadlineHours: number
  /** Only working hours count for it. */
  readonly auditDeadlineWorkingHours: boolean
  readonly protectedLabels: readonly string[]
  /** Why nothing is settled although gates may be open; null: it is. */
  readonly paused: string | null
  readonly labels: readonly {
    readonly label: string
    readonly epsilon: number
    readonly delta: number
    readonly thresholds: readonly number[]
    readonly exclusions: readonly string[]
  }[]
  /** Null where no contract was ever set. */
  readonly setMicros: number | null
  readonly setBy: string | null
  readonly gates: readonly GateView[]
  /** The latest gates that ended, latest first. */
  readonly ended: readonly GateView[]
  readonly assumptions: readonly string[]
}

export interface CertificateQuery {
  /** Only those of one gate. */
  readonly gateId?: string
  /** From 0. */
  readonly page: number
  readonly size: number
}

export interface Certificate {
  readonly atMicros: number
  /** Its place in the audit log, and the hash of the chain there. */
  readonly sequence: number
  readonly hash: string
  readonly by: Author
  readonly document: Readonly<Record<string, unknown>>
}

export interface CertificatePage {
  readonly certificates: readonly Certificate[]
  readonly total: number
  readonly exact: boolean
}

export interface ReopenRequest {
  /** Only events with this label. */
  readonly label?: string | undefined
  /** Only events from this time on, microseconds; the default is the epoch, 28 days. */
  readonly fromMicros?: number | undefined
}

export type QueueOrder = 'newest' | 'need'

export interface QueueQuery {
  readonly size: number
  readonly order: QueueOrder
  readonly after?: string
}

/** An event that people have to look at. Audits are among them, and are not marked. */
export interface QueuedEvent {
  readonly eventId: string
  readonly ingestMicros: number
  readonly result: string
  readonly resultLabel: string
  readonly confidenceScore: number
  readonly outlier: boolean
  readonly bucketId: string | null
}

export interface QueuePage {
  readonly events: readonly QueuedEvent[]
  /** Pass it as `after` for the next page; null at the end. A page may be short where its time was over. */
  readonly next: string | null
}

export interface ForecastQuery {
  readonly epsilon: number
  readonly delta: number
  readonly holdOutRate?: number | undefined
  readonly protectedLabels?: readonly string[] | undefined
}

export interface ThresholdForecast {
  readonly label: string
  /** Percent. */
  readonly threshold: number
  /** The share of all events that would be settled. */
  readonly settledShare: number
  readonly eventsPerDay: number
  /** Events with this answer that people voted on, and those they answered with a protected label. */
  readonly votedEvents: number
  readonly misses: number
  /** The audits that it takes; null where the rate of misses is too near ε, or above it. */
  readonly auditsNeeded: number | null
  readonly auditsPerDay: number
  readonly days: number | null
  readonly message: string
}

export interface Forecast {
  readonly fromMicros: number | null
  readonly toMicros: number | null
  readonly events: number
  readonly holdOutRate: number
  readonly thresholds: readonly ThresholdForecast[]
  readonly message: string
}

export interface AutonomyService {
  /** Rejects with mailbox_full where a deadline has to be looked at first. */
  of(job: JobHandle): Promise<AutonomyView>
  /** Rejects with invalid_body, unknown_label, gate_without_model. Resolves when the contract is flushed. */
  set(job: JobHandle, input: ContractInput, by: Author): Promise<AutonomyView>
  /** Latest first. Rejects with gate_not_found, queries_busy. */
  certificates(job: JobHandle, query: CertificateQuery): Promise<CertificatePage>
  /** Sends settled events back to people. Rejects with contract_not_found, unknown_label. */
  reopen(job: JobHandle, request: ReopenRequest, by: Author): Promise<{ reopened: number; complete: boolean }>
  /** Rejects with contract_not_found, invalid_cursor, queries_busy. */
  queue(job: JobHandle, query: QueueQuery): Promise<QueuePage>
  /** Rejects with invalid_body, unknown_label, queries_busy. */
  forecast(job: JobHandle, query: ForecastQuery): Promise<Forecast>
  /** Whether the event is an audit. False for an unknown event. */
  isAudit(job: JobHandle, eventId: string): boolean
}
