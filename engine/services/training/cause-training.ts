/**
 * The examples for training a root cause model: labelled alerts with their places in their clusters, from one snapshot
 * of the shard.
 */
import { must } from '../../assert.js'
import { limits } from '../../limits.js'
import { DecisionPoints } from '../../domain/event/decision-points.js'
import { trainCause, type CauseExample } from '../../domain/cause/cause-model.js'
import type { AlertRow } from '../../domain/cause/cause-rows.js'
import { HawkesProcess } from '../../domain/cause/hawkes.js'
import type { CauseSettings } from '../../domain/cause/settings.js'
import type { TrainingProgress } from '../../domain/learn/classifier.js'
import { defaultClassifier } from '../../domain/learn/registry.js'
import { BodyCodec } from '../../store/body-codec.js'
import type { Environment } from '../../store/environment.js'
import { decodeContent } from '../../store/event-record.js'
import { jobRange, timeKey, timeOfKey } from '../../store/tables.js'
import { CauseTableReader } from '../../actor/cause/cause-table.js'
import type { TrainingTask } from './training-protocol.js'

/** An event, and the label that analysts agree on. */
export interface LabelledEvent {
  readonly micros: number
  readonly label: number
}

export class CauseExamples {
  readonly examples: readonly (CauseExample & { readonly micros: number })[]
  readonly #task: TrainingTask
  readonly #settings: CauseSettings
  readonly #table: CauseTableReader
  readonly #environment: Environment
  readonly #points: DecisionPoints
  readonly #codec: BodyCodec

  constructor(
    environment: Environment,
    task: TrainingTask,
    settings: CauseSettings,
    labelled: readonly LabelledEvent[],
  ) {
    this.#task = task
    this.#settings = settings
    this.#environment = environment
    this.#table = new CauseTableReader(environment, task.jobId)
    this.#points = new DecisionPoints(task.points, task.types)
    this.#codec = new BodyCodec(environment)
    this.examples = labelled.flatMap(({ micros, label }) => {
      const record = environment.get('events', timeKey(task.jobId, micros))
      const known = record === undefined ? null : this.#known(micros, record)
      return known === null ? [] : [{ ...known, label, micros }]
    })
  }

  /** Trains one model. @throws TrainingCancelled. */
  train(progress: TrainingProgress): Uint8Array {
    const { points, labels, byRole, seed, objective } = this.#task
    const hawkes = new HawkesProcess(this.#table, this.#settings.causeWindowMs)
    return trainCause(
      {
        examples: this.examples,
        background: this.#background(),
        decisionPoints: points,
        labelCount: labels.length,
        byRole: must(byRole, 'the meanings of the labels'),
        facts: hawkes,
        window: { ms: hawkes.windowMs, fixed: this.#settings.causeWindowMs > 0 },
        seed,
        objective,
      },
      defaultClassifier,
      progress,
    )
  }

  #background(): Omit<CauseExample, 'label'>[] {
    const range = { ...jobRange(this.#task.jobId), reverse: true, limit: limits.trainingBackgroundMax }
    const recent = [...this.#environment.range('events', range)].flatMap(
      ({ key, value }) => this.#known(timeOfKey(key), value) ?? [],
    )
    return recent.reverse()
  }

  #known(micros: number, record: Uint8Array): Omit<CauseExample, 'label'> | null {
    const alert = this.#table.get('alerts', micros) as AlertRow | undefined
    if (alert === undefined) return null
    return { alert, values: this.#points.valuesOf(this.#codec.decode(decodeContent(record).body)) }
  }
}
