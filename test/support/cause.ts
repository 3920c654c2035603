/** Clustering on rows in memory, with alerts of a few words. */
import { Clustering } from '../../engine/domain/cause/clustering.js'
import { causeSettingsOf, type CauseSettings } from '../../engine/domain/cause/settings.js'
import type { CauseStore, CausePart } from '../../engine/domain/cause/cause-store.js'
import { AlertNormalizer } from '../../engine/domain/cause/normalized-alert.js'
import type { PipelineStep } from '../../engine/domain/job/job.js'

/** A cause store that keeps copies, as a real one does. */
export class TestCauseStore implements CauseStore {
  readonly rows = new Map<string, string>()
  readonly members = new Set<string>()

  get(part: CausePart, number: number): unknown {
    const text = this.rows.get(`${part} ${number}`)
    return text === undefined ? undefined : JSON.parse(text)
  }

  *all(part: CausePart): Iterable<{ number: number; row: unknown }> {
    const own = [...this.rows].filter(([key]) => key.startsWith(`${part} `)).sort(([a], [b]) => (a < b ? -1 : 1))
    for (const [key, text] of own) yield { number: Number(key.slice(part.length + 1)), row: JSON.parse(text) }
  }

  put(part: CausePart, number: number, row: unknown): void {
    this.rows.set(`${part} ${number}`, JSON.stringify(row))
  }

  putMember(cluster: number, alert: number): void {
    this.members.add(`${cluster} ${alert}`)
  }

  deleteMember(cluster: number, alert: number): void {
    this.members.delete(`${cluster} ${alert}`)
  }

  /** Everything, sorted. */
  bytes(): string[] {
    return [...[...this.rows].map(([key, text]) => `${key} ${text}`), ...this.members].sort()
  }
}

export function processor(parameters: Readonly<Record<string, unknown>>): PipelineStep {
  return { integrationId: 1, role: 'processor', enabled: true, parameters }
}

/** Before any test's clock: the time of an alert lies before its arrival. */
export const START_MS = Date.UTC(2023, 0, 1)
const START_MICROS = START_MS * 1000

/** An alert about `about` of `type`, so many seconds after the start; `lists` its neighbours. */
export function alarm(
  about: string,
  type: string,
  seconds: number,
  lists: readonly string[] = [],
): Record<string, unknown> {
  return {
    '@timestamp': new Date(START_MS + seconds * 1000).toISOString(),
    alarm: { type },
    device: { id: about, neighbours: lists },
  }
}

const noPoints: readonly string[] = []

export class TestClustering {
  readonly settings: CauseSettings
  readonly causeStore = new TestCauseStore()
  clustering: Clustering
  #normalizer: AlertNormalizer
  #count = 0

  constructor(parameters: Readonly<Record<string, unknown>> = {}) {
    this.settings = causeSettingsOf({ pipeline: [processor(parameters)] })
    this.#normalizer = new AlertNormalizer(this.settings, [])
    this.clustering = new Clustering(this.causeStore, this.settings)
  }

  /** Takes in an alert and returns its number. It arrives with the alerts before it, a day after the start. */
  take(body: Record<string, unknown>, nowMicros?: number): number {
    const micros = START_MICROS + 86_400_000_000 + ++this.#count
    const normalized = this.#normalizer.normalize(body, this.clustering.fields.look(body, noPoints))
    this.clustering.add(normalized, micros, nowMicros ?? micros)
    return micros
  }

  /** The number of the cluster of an alert. */
  clusterOf(alert: number): number {
    return this.clustering.cluster(this.clustering.alert(alert)?.cluster ?? 0)?.id ?? 0
  }

  /** Another process takes over. */
  restart(): void {
    this.clustering.flush()
    this.clustering = new Clustering(this.causeStore, this.settings)
  }
}
