/**
 * Figures about the engine, gathered on demand.
 *
 * Owns: decisions by label. Labels are counted by name at the time of the decision, so deleting a job changes no count.
 */
import type { Figures } from '../../api/monitor-service.js'
import type { ResourceStore } from '../../resource/resource-store.js'
import {
  bands,
  labelAndBand,
  enrichmentEnds,
  enrichmentsOf,
  OUTLIER_PLACE,
  STORED_PLACE,
} from '../../actor/decision-counts.js'
import type { ReadableShards } from '../read/job-reader.js'
import type { Trainings } from '../training/trainings.js'
import type { Logs } from './log/log.js'

export interface FigureDeps {
  readonly resources: ResourceStore
  readonly shards: ReadableShards
  readonly trainings: Trainings
  readonly logs: Logs
  catalogBytes(): number
}

/** Label names that are counted apart; any more count as `other`. */
const LABELS_MAX = 300

export class FigureReader {
  readonly #deps: FigureDeps
  readonly #counted: (decided: ReadonlyMap<number, Float64Array>) => void
  /** By label name, decisions in each band of confidence. */
  readonly #labels = new Map<string, Float64Array>()
  #stored = 0
  #outliers = 0
  readonly #enrichments = new Float64Array(enrichmentEnds.length)

  /** `counted` gets what was stored and decided since its last call. */
  constructor(deps: FigureDeps, counted: (decided: ReadonlyMap<number, Float64Array>) => void) {
    this.#deps = deps
    this.#counted = counted
  }

  read(): Omit<Figures, 'watchdogs'> {
    const { shards, trainings, resources, logs } = this.#deps
    this.countDecided()
    const { finished, failed, seconds } = trainings.meter
    return {
      shards: Array.from({ length: shards.count }, (_, shard) => {
        const { length: waiting, bytes: waitingBytes } = shards.mailbox(shard)
        return { shard, waiting, waitingBytes, storeBytes: shards.sizeBytes(shard), turns: shards.meter(shard) }
      }),
      catalogBytes: this.#deps.catalogBytes(),
      eventsStored: this.#stored,
      outliers: this.#outliers,
      models: shards.openModels(),
      enrichments: new Map(enrichmentEnds.map((end, at) => [end, this.#enrichments[at] as number])),
      decisions: [...this.#labels].flatMap(([label, counts]) => {
        return bands.map((band, place) => ({ label, band, count: counts[place] as number }))
      }),
      trainings: { finished, failed, seconds, ...trainings.underWay },
      jobs: countBy(resources.jobs(), ({ status }) => status),
      integrations: countBy(resources.integrations(), ({ kind }) => kind),
      logLinesDropped: logs.dropped,
    }
  }

  /** Adds what was stored and decided since the last call. */
  countDecided(): void {
    const decided = this.#deps.shards.takeDecided()
    this.#counted(decided)
    for (const [jobId, counts] of decided) {
      const labels = this.#deps.resources.job(jobId)?.labels ?? []
      this.#stored += counts[STORED_PLACE] as number
      this.#outliers += counts[OUTLIER_PLACE] as number
      for (const [at, count] of enrichmentsOf(counts).entries())
        this.#enrichments[at] = (this.#enrichments[at] as number) + count
      for (let place = 0; place < STORED_PLACE; place++) {
        const count = counts[place] as number
        if (count === 0) continue
        const { label } = labelAndBand(place)
        const ofLabel = this.#of(labels[label]?.name ?? 'other')
        ofLabel[place % bands.length] = (ofLabel[place % bands.length] as number) + count
      }
    }
  }

  #of(label: string): Float64Array {
    const name = this.#labels.has(label) || this.#labels.size < LABELS_MAX ? label : 'other'
    let counts = this.#labels.get(name)
    if (counts === undefined) this.#labels.set(name, (counts = new Float64Array(bands.length)))
    return counts
  }
}

function countBy<T>(all: Iterable<T>, nameOf: (one: T) => string): Map<string, number> {
  const counts = new Map<string, number>()
  for (const one of all) counts.set(nameOf(one), (counts.get(nameOf(one)) ?? 0) + 1)
  return counts
}
