/**
 * Threat intelligence as enrichment: which indicators match the observables of an event.
 *
 * Owns: the checked fields of the event, and the fields that it adds. Leaves out: the indicators (threat-feed.ts),
 * observables (observable.ts).
 *
 * 1. Steps that read the same collections of the same server with the same credentials share one feed.
 */
import { DecisionPoints } from '../../domain/event/decision-points.js'
import type { ScalarValue } from '../../domain/event/point-value.js'
import type { Known, EnrichmentSource, EnrichmentFields, OpenedParameters, Tools } from '../contract.js'
import { SourceFailure } from '../contract.js'
import { textAt } from '../http/http-kind.js'
import type { Indicator, IndicatorIndex } from './indicator-index.js'
import { observablesIn, type ObservableType } from '../enrichment/observable.js'
import { TaxiiClient } from './taxii-client.js'
import { ThreatFeed } from './threat-feed.js'

/** Fields in which common formats have addresses, domain names, URLs and hashes. */
export const usualFields: readonly string[] = [
  'source.ip',
  'destination.ip',
  'client.ip',
  'server.ip',
  'source.domain',
  'destination.domain',
  'dns.question.name',
  'dns.resolved_ip',
  'url.full',
  'url.original',
  'url.domain',
  'file.hash.md5',
  'file.hash.sha1',
  'file.hash.sha256',
  'file.hash.sha512',
  'process.hash.md5',
  'process.hash.sha1',
  'process.hash.sha256',
  'dll.hash.sha256',
  'email.from.address',
  'email.sender.address',
  'email.reply_to.address',
  'threat.indicator.ip',
  'src_endpoint.ip',
  'dst_endpoint.ip',
  'dst_endpoint.hostname',
  'src_ip',
  'dest_ip',
  'srcip',
  'dstip',
  'data.srcip',
  'data.dstip',
  'data.url',
  'data.win.eventdata.hashes',
  'cef.extensions.sourceAddress',
  'cef.extensions.destinationAddress',
  'cef.extensions.requestUrl',
  'cef.extensions.fileHash',
]

const BATCH_MAX = 200
const OBSERVABLES_MAX = 64
/** Indicators whose fields are added; `count` includes all. */
const INDICATORS_MAX = 16

interface Shared {
  readonly feed: ThreatFeed
  users: number
}

/** Shared feeds, by connection and options; used only on the thread of the integrations. */
const feeds = new Map<string, Shared>()

export class ThreatEnrichment implements EnrichmentSource {
  readonly batchMax = BATCH_MAX
  readonly atOnce = 1
  readonly #points: DecisionPoints
  readonly #minConfidence: number
  readonly #key: string
  readonly #feed: ThreatFeed
  readonly #nowMs: () => number

  constructor(connection: OpenedParameters, parameters: OpenedParameters, tools: Tools) {
    const fields = listOf(parameters, 'event_fields')
    this.#points = new DecisionPoints(fields.length > 0 ? fields : usualFields, 'kept')
    this.#minConfidence = Number(parameters.min_confidence ?? 0)
    this.#nowMs = () => Math.floor(tools.clock.nowMicros() / 1_000)
    const options = {
      collections: listOf(parameters, 'collections'),
      pollMs: Number(parameters.poll_seconds ?? 300) * 1_000,
      indicatorsMax: Number(parameters.indicators_max ?? 200_000),
    }
    this.#key = JSON.stringify([connection, options])
    const shared = feeds.get(this.#key) ?? {
      feed: new ThreatFeed({ ...options, client: new TaxiiClient(connection, tools), nowMs: this.#nowMs }),
      users: 0,
    }
    shared.users++
    feeds.set(this.#key, shared)
    this.#feed = shared.feed
    // Read now, so that the first event need not wait. A failure is reported to the first query.
    if (shared.users === 1) this.#feed.index().catch(() => {})
  }

  subjectOf(document: Readonly<Record<string, unknown>>): string | null {
    const found = new Map<string, readonly [ObservableType, string]>()
    for (const value of this.#points.valuesOf(document)) {
      if (value === null) continue
      for (const one of (Array.isArray(value) ? value : [value]) as readonly ScalarValue[]) {
        if (typeof one !== 'string') continue
        for (const [type, text] of observablesIn(one))
          if (found.size < OBSERVABLES_MAX) found.set(`${type}|${text}`, [type, text])
      }
    }
    return found.size === 0 ? null : JSON.stringify([...found.values()])
  }

  async find(subjects: readonly string[], signal: AbortSignal): Promise<Known[]> {
    const index = await unlessStopped(this.#feed.index(), signal)
    return subjects.map((subject) => this.#fieldsOf(index, JSON.parse(subject) as [ObservableType, string][]))
  }

  summary(): string {
    return this.#feed.summary()
  }

  async close(): Promise<void> {
    const shared = feeds.get(this.#key)
    if (shared === undefined || --shared.users > 0) return
    feeds.delete(this.#key)
    await shared.feed.close()
  }

  #fieldsOf(
    index: IndicatorIndex,
    observables: readonly (readonly [ObservableType, string])[],
  ): EnrichmentFields | null {
    const indicators = new Map<string, Indicator>()
    const values = new Set<string>()
    for (const [type, value] of observables) {
      for (const indicator of index.find(type, value, this.#nowMs())) {
        if (indicator.confidence !== null && indicator.confidence < this.#minConfidence) continue
        indicators.set(indicator.id, indicator)
        values.add(value)
      }
    }
    if (indicators.size === 0) return null
    // Highest confidence first.
    const sorted = [...indicators.values()].sort(
      (a, b) => (b.confidence ?? -1) - (a.confidence ?? -1) || (a.id < b.id ? -1 : 1),
    )
    const added = sorted.slice(0, INDICATORS_MAX)
    const all = (of: (indicator: Indicator) => readonly string[]): string[] => [...new Set(added.flatMap(of))].sort()
    const confidence = added[0]?.confidence ?? null
    return {
      matched: true,
      count: indicators.size,
      ...(confidence === null ? {} : { confidence }),
      values: [...values].sort(),
      indicator_ids: added.map(({ id }) => id),
      names: all(({ name }) => (name === '' ? [] : [name])),
      indicator_types: all(({ types }) => types),
      labels: all(({ labels }) => labels),
      kill_chain_phases: all(({ phases }) => phases),
    }
  }
}

function listOf(parameters: OpenedParameters, name: string): string[] {
  return (textAt(parameters, name) ?? '')
    .split(',')
    .map((one) => one.trim())
    .filter((one) => one !== '')
}

/** Rejects if the signal aborts before the work ends. */
async function unlessStopped<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  let stop: () => void = () => {}
  const stopped = new Promise<never>((_, reject) => (stop = () => reject(new SourceFailure('stopped'))))
  if (signal.aborted) stop()
  signal.addEventListener('abort', stop)
  try {
    return await Promise.race([work, stopped])
  } finally {
    signal.removeEventListener('abort', stop)
  }
}
