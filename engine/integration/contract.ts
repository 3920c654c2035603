/**
 * What an integration is to the service: one interface a role, and the tools that it is given for its work.
 *
 * Owns: the words between what runs integrations (delivery.ts, and the thread that they live on) and the kinds (one folder
 * each). Leaves out: the catalogue's words (registry/integration-registry.ts), when what is called (delivery.ts).
 *
 * 1. An integration touches nothing of the service: it is given events and answers with fates.
 * 2. It waits for nobody without a limit, and keeps no more than what it was given.
 * 3. What it says of a failure is a sentence for people, without secrets and without the body of an event.
 * 4. It never executes what it reads: templates only name fields (template.ts).
 * The contract suites in test/contracts (sink.ts, enrichment.ts) hold every kind to this.
 */
import type { Clock } from '../clock.js'
import type { IntegrationRole } from '../domain/job/job.js'
import type { IntegrationKind } from '../resource/registry/integration-registry.js'
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

/** A watchdog that fired or resolved. */
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
  /** Since when it was as it was before: firing, for one that resolves. */
  readonly sinceMicros: number
}

/** One event on its way out. */
export interface Outgoing {
  /** The same at every try, another for another decision: receivers may tell repetitions by it. */
  readonly id: string
  readonly reason: 'decided' | 'decided_again'
  readonly event: DecidedEvent
  /** What was answered when this event, or its bucket, was last delivered: a case's id, say. */
  readonly reference: string | null
  /** Where this is no decision but a watchdog that fired or resolved; `event` says it in the words of events. */
  readonly alert?: WatchdogAlert
}

/** How one delivery ended. */
export type Fate =
  | { readonly fate: 'delivered'; readonly reference?: string }
  /** The counterpart takes others but never this one. */
  | { readonly fate: 'refused'; readonly reason: string }
  | {
      readonly fate: 'failed'
      readonly reason: string
      /** The event itself may be the reason; false where it would be the same with any other: nobody there, too busy. */
      readonly suspect: boolean
      /** How long it asked to be left alone. */
      readonly retryAfterMs?: number
    }

/** Takes events out: output, post decision, case creation. */
export interface Sink {
  /** Most events that `deliver` takes at once. */
  readonly batchMax: number
  /**
   * What the reference of a delivery is kept under, and given back with the next event of the same: for sinks whose fates have
   * references.
   */
  subjectOf?(event: DecidedEvent): string
  /** One fate for each, in order. Rejects for bugs only. Ends soon after `signal` does. */
  deliver(items: readonly Outgoing[], signal: AbortSignal): Promise<Fate[]>
  close(): Promise<void>
}

/** A document that came from outside. */
export interface SourceDocument {
  /** The id of its event: the same whenever the same document is read. */
  readonly id: string
  /** JSON of an object; it is parsed where it becomes an event. */
  readonly body: Uint8Array
  /** Why it can never be an event, where the source knows; the body may then be anything. */
  readonly unfit?: string
}

export interface SourcePiece {
  readonly documents: readonly SourceDocument[]
  /** Where the next piece begins; plain data. It is kept when the documents of this one are on disk. */
  readonly checkpoint: unknown
  /** There is more to be had at once. */
  readonly more: boolean
  /** What people should know of this piece: something was lost, say. */
  readonly note?: string
}

/** The counterpart could not be asked, or did not answer as it should; the message is for people. */
export class SourceFailure extends Error {
  readonly retryAfterMs: number

  constructor(message: string, retryAfterMs = 0) {
    super(message)
    this.retryAfterMs = retryAfterMs
  }
}

/** Brings events in: input. */
export interface Source {
  /** Milliseconds between two polls where there was nothing more. */
  readonly pollMs: number
  /** What is behind the checkpoint, null at the beginning. Rejects with SourceFailure. */
  poll(checkpoint: unknown, signal: AbortSignal): Promise<SourcePiece>
  /**
   * The documents of a piece are on disk, or kept as refused (those ids): whoever has to be told is told, when its checkpoint
   * (the object that the piece had) is kept too. Where the ledger was not written it is not called, and the next call means
   * that piece too.
   */
  taken?(checkpoint: unknown, refused: ReadonlySet<string>): Promise<void>
  close(): Promise<void>
}

/** What a look-up brings: names with scalars, lists of scalars, or names again. */
export type EnrichmentFields = Readonly<Record<string, unknown>>

/** The counterpart could not be asked, or did not answer as it should; the message is for people. */
export class EnrichmentFailure extends SourceFailure {}

/** The counterpart answers others but never this question; the sentence is for people. */
export class QueryRefused {
  readonly reason: string

  constructor(reason: string) {
    this.reason = reason
  }
}

/** What is known of a subject: null for nothing. */
export type Known = EnrichmentFields | null | QueryRefused

/** Looks up what is known about events: enrichment. */
export interface EnrichmentSource {
  /** Most subjects that `find` takes at once, and how many such questions may be under way. */
  readonly batchMax: number
  readonly atOnce: number
  /** What is asked about the event, null where it has nothing to ask about. Equal subjects have equal answers, for a while. */
  subjectOf(document: Readonly<Record<string, unknown>>): string | null
  /** What is known of each, in order. Rejects with EnrichmentFailure where it is about no single one. Ends soon after `signal` does. */
  find(subjects: readonly string[], signal: AbortSignal): Promise<readonly Known[]>
  /** What it knows by itself, for people; absent where it asks each time. */
  summary?(): string
  close(): Promise<void>
}

/** Parameters as checked when they were given, with the secrets opened. */
export type Opened = Readonly<Record<string, string | number | boolean | undefined>>

export interface Tools {
  readonly policy: HostPolicy
  readonly clock: Clock
  /** SERVICE_NAME. */
  readonly serviceName: string
}

/** A kind that does something outside: its entry of the catalogue, and how it is opened in a role. */
export interface OutsideKind {
  readonly entry: IntegrationKind
  /** Its sink, opened as post_decision without parameters, can tell alerts of watchdogs too. */
  readonly tellsWatchdogs?: true
  /** For roles that take events out. @throws Error with a sentence where the parameters do not go together. */
  openSink?(role: IntegrationRole, connection: Opened, parameters: Opened, tools: Tools): Sink
  /** For the role input. @throws Error as openSink. */
  openSource?(connection: Opened, parameters: Opened, tools: Tools): Source
  /** For the role enrichment. @throws Error as openSink. */
  openEnrichment?(connection: Opened, parameters: Opened, tools: Tools): EnrichmentSource
}
