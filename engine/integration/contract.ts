/**
 * The contract of an integration: one interface for each role, and the tools that the service passes in.
 *
 * Owns: the interfaces between the code that runs integrations (delivery.ts, intake.ts, enrichment-requests.ts) and the
 * kinds (one folder each). Leaves out: the metadata of a kind (registry/integration-registry.ts), the order of calls
 * (delivery.ts).
 *
 * 1. An integration never touches the service: it takes events and returns outcomes.
 * 2. It never waits without a limit, and keeps no more than it was given.
 * 3. The reason of a failure is a sentence for people. It contains no secret and no event body.
 * 4. It never executes what it reads: templates only name fields (template.ts).
 *
 * The contract suites in test/contracts (sink.ts, enrichment.ts) test every kind against these rules.
 */
import type { Clock } from '../clock.js'
import type { Finding } from '../domain/event/finding.js'
import type { IntegrationRole } from '../domain/job/job.js'
import type { IntegrationKind } from '../resource/registry/integration-registry.js'
import type { Summary } from './delivery/tally.js'
import type { HostPolicy } from './http/host-policy.js'

/** An event with its decision, as it leaves the service. */
export interface DecidedEvent {
  readonly jobId: number
  readonly jobTitle: string
  readonly eventId: string
  readonly ingestMicros: number
  /** Label id and name; '' without a decision (S4). */
  readonly result: string
  readonly resultLabel: string
  /** 0 to 100, two decimals (S8). */
  readonly confidenceScore: number
  readonly outlier: boolean
  /** Hexadecimal; null where the job has no buckets. */
  readonly bucketId: string | null
  /** The exported event: the client's fields, and the service's section under `serviceName`. */
  readonly document: Readonly<Record<string, unknown>>
  readonly serviceName: string
}

/** A watchdog that fired or resolved, or that still fires. */
export interface WatchdogAlert {
  /** When it fired or resolved: no two have the same. */
  readonly atMicros: number
  readonly state: 'firing' | 'resolved'
  readonly watchdogId: string
  readonly title: string
  readonly type: string
  readonly condition: string
  readonly unit: string
  /** Bad is what is over the threshold, or under it. */
  readonly bad: 'above' | 'below'
  readonly threshold: number
  readonly resolveThreshold: number
  /** As measured; null where it resolved because nobody looks any more. */
  readonly value: number | null
  /** null: of the service as a whole. */
  readonly jobId: number | null
  readonly jobTitle: string | null
  /** Since when it is as it is, or was as it was before: firing, for one that resolves. */
  readonly sinceMicros: number
  /** Since when it fires, or fired; null where it fired several times and is over. */
  readonly firingSinceMicros: number | null
  /** How often it fired since the last message, this time too; 0 for a resolution of what was told. */
  readonly fired: number
  /** It was told of before, and still fires. */
  readonly isReminder: boolean
  /** The zone in which people are told times. */
  readonly timeZone: string
}

/** One event on its way out. */
export interface Outgoing {
  /** The same for every try of one decision, so that receivers can recognise repetitions. */
  readonly id: string
  readonly reason: 'decided' | 'decided_again'
  readonly event: DecidedEvent
  /** The reference from the last delivery of this event or its bucket, such as the id of a case. */
  readonly reference: string | null
  /** It failed before, and later events went ahead of it. */
  readonly isLate?: boolean
  /** Set for a watchdog that fired or resolved; `event` is then the alert in the form of an event. */
  readonly alert?: WatchdogAlert
  /** Set for a message about many decisions or alerts; `event` is then the summary in the form of an event. */
  readonly summary?: Summary
}

/**
 * A failure that lasts until somebody changes something, here or at the counterpart (delivery/halt.ts).
 *
 * | value      | example                                                                               |
 * |------------|---------------------------------------------------------------------------------------|
 * | `for_good` | a revoked key, an address that is gone: the counterpart says that it stays so         |
 * | `set_up`   | 403 or 404: what a counterpart answers for a moment, too, while it starts or is moved |
 */
export type Lasting = 'for_good' | 'set_up'

/** How one delivery ended. */
export type Outcome =
  | { readonly outcome: 'delivered'; readonly reference?: string }
  /** The counterpart will never accept this event, but accepts others. */
  | { readonly outcome: 'refused'; readonly reason: string }
  | {
      readonly outcome: 'failed'
      readonly reason: string
      /** The event itself may be the cause. False where any event would fail: unreachable, too busy. */
      readonly suspect: boolean
      /** How long the counterpart asked us to wait. */
      readonly retryAfterMs?: number
      /** Any other event would fail, too, until something is changed. Only where the event is no suspect. */
      readonly lasting?: Lasting
    }

/** Sends events out. Roles: output, post decision, case creation. */
export interface Sink {
  /** Most events that `deliver` takes at once. */
  readonly batchMax: number
  /**
   * Where the counterpart was away or is slow and more wait than so many: the newest are delivered one by one, and the
   * others as one summary. Absent or 0: each one is delivered.
   */
  readonly sumsUpOver?: number
  /**
   * The key under which the reference of a delivery is stored. The next event with the same key gets the reference
   * back. Only for sinks whose outcomes have references.
   */
  subjectOf?(event: DecidedEvent): string
  /** Returns one outcome for each item, in order. Rejects for bugs only. Ends soon after `signal` aborts. */
  deliver(items: readonly Outgoing[], signal: AbortSignal): Promise<Outcome[]>
  close(): Promise<void>
}

/** A document from outside. */
export interface SourceDocument {
  /** The id of its event: the same each time the same document is read. */
  readonly id: string
  /** A JSON object; it is parsed when it becomes an event. */
  readonly body: Uint8Array
  /** Why it can never be an event, where the source knows. The body may then be anything. */
  readonly unfit?: string
}

export interface SourcePiece {
  readonly documents: readonly SourceDocument[]
  /** Where the next piece begins, as plain data. It is stored once the documents of this piece are on disk. */
  readonly checkpoint: unknown
  /** More documents are available now. */
  readonly more: boolean
  /** A remark for people, for example that documents were lost. */
  readonly note?: string
  /** How the source is doing, if it knows. */
  readonly state?: SourceState
  /** What people should know of the job's events. */
  readonly findings?: readonly Finding[]
}

export interface SourceState {
  /** The date of the last document that was read in order, milliseconds since 1970; null before the first. */
  readonly readThroughMs: number | null
  /** More documents are there than were read. */
  readonly isBehind: boolean
  /** What people should know while it works, such as indexes that are left out; '' for nothing. */
  readonly remark: string
}

/** The counterpart was unreachable, or its answer was wrong. The message is for people. */
export class SourceFailure extends Error {
  readonly retryAfterMs: number
  /** It fails until something is changed; absent: it may pass. */
  readonly lasting: Lasting | undefined

  constructor(message: string, retryAfterMs = 0, lasting?: Lasting) {
    super(message)
    this.retryAfterMs = retryAfterMs
    this.lasting = lasting
  }
}

/** Reads events from outside. Role: input. */
export interface Source {
  /** Milliseconds between two polls when nothing more is available. */
  readonly pollMs: number
  /** Reads what follows the checkpoint; null at the beginning. Rejects with SourceFailure. */
  poll(checkpoint: unknown, signal: AbortSignal): Promise<SourcePiece>
  /**
   * Acknowledges a piece to the counterpart. Its documents and its checkpoint are on disk; the refused documents (by
   * id) are kept. The checkpoint is the same object as in the piece. If the ledger could not be written, the call is
   * skipped, and the next call covers this piece as well.
   */
  taken?(checkpoint: unknown, refused: ReadonlySet<string>): Promise<void>
  close(): Promise<void>
}

/** Fields that an enrichment adds: scalars, lists of scalars, or nested objects of them. */
export type EnrichmentFields = Readonly<Record<string, unknown>>

/** The counterpart will never answer this query, but answers others. The reason is for people. */
export class QueryRefused {
  readonly reason: string

  constructor(reason: string) {
    this.reason = reason
  }
}

/** What is known about a subject: null for nothing. */
export type Known = EnrichmentFields | null | QueryRefused

/** Finds what is known about events. Role: enrichment. */
export interface EnrichmentSource {
  /** Most subjects in one call of `find`, and most calls at the same time. */
  readonly batchMax: number
  readonly atOnce: number
  /**
   * The subject to find for an event, or null for none. Equal subjects have equal answers while the cache holds them.
   */
  subjectOf(document: Readonly<Record<string, unknown>>): string | null
  /**
   * Finds what is known about each subject, in order. Rejects with SourceFailure for failures that concern no
   * single subject. Ends soon after `signal` aborts.
   */
  find(subjects: readonly string[], signal: AbortSignal): Promise<readonly Known[]>
  /** A sentence about the data that it holds in memory; absent where it asks the counterpart each time. */
  summary?(): string
  close(): Promise<void>
}

/** Parameters that were checked when they were set, with decrypted secrets. */
export type OpenedParameters = Readonly<Record<string, string | number | boolean | undefined>>

export interface Tools {
  readonly policy: HostPolicy
  readonly clock: Clock
  /** SERVICE_NAME. */
  readonly serviceName: string
  /** The zone in which people are told times: that of the job, or of the service. */
  readonly timeZone: string
}

/** A kind with a counterpart outside the service: its metadata, and how it is opened in a role. */
export interface OutsideKind {
  readonly entry: IntegrationKind
  /** Its sink, opened as post_decision without parameters, can also send alerts of watchdogs. */
  readonly sendsAlerts?: true
  /** For roles that send events out. @throws Error with a sentence if the parameters do not fit together. */
  openSink?(role: IntegrationRole, connection: OpenedParameters, parameters: OpenedParameters, tools: Tools): Sink
  /** For the role input. @throws Error as openSink. */
  openSource?(connection: OpenedParameters, parameters: OpenedParameters, tools: Tools): Source
  /** For the role enrichment. @throws Error as openSink. */
  openEnrichment?(connection: OpenedParameters, parameters: OpenedParameters, tools: Tools): EnrichmentSource
}
