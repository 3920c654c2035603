/**
 * What a model says of an event: its answer field by field, the labelled events that it remembers, and what is unlike.
 *
 * Leaves out: the answers without fields (domain/decide/reasons.ts), votes and the stored decision
 * (explained-event.ts).
 */
import type { LabelledNeighbour, ModelExplanation, WithoutShown } from '../../api/explanation-service.js'
import { outlierThreshold, termsOfModel } from '../../domain/decide/model-trust.js'
import { reasonsOf, type AnswerWithout, type Reasons } from '../../domain/decide/reasons.js'
import { eventIdOf } from '../../domain/event/event-id.js'
import type { PointValues } from '../../domain/event/point-value.js'
import { hasClusters, outlierRateOf } from '../../domain/job/job.js'
import type { Model } from '../../domain/learn/classifier.js'
import { likenessAt } from '../../domain/learn/likeness.js'
import { clientIdOf, decodeHeader, RECORD_HEAD_BYTES_MAX } from '../../store/event-record.js'
import { timeKey } from '../../store/tables.js'
import { subjectOf } from '../../actor/event-table.js'
import { modelIdOf } from '../../actor/model-id.js'
import { consensusName, readBallot } from '../../actor/votes/ballots.js'
import { limits } from '../../limits.js'
import type { EventValues } from './event-values.js'
import type { JobAt } from './job-at.js'
import type { ExplainedModel } from './opened-models.js'
import { answerShown, rounded, valueShown } from './shown.js'

/** The model's part, and its answer as it was computed; null where the model cannot read the event. */
export interface ModelPart {
  readonly shown: ModelExplanation
  readonly reasons: Reasons | null
}

/** The events of one bucket with one label are equal to the model, so more are read than shown. */
const NEIGHBOURS_READ = 64
const UNLIKE_SHOWN = 3

/** What is explained. */
export interface ExplainedValues {
  readonly reader: EventValues
  /** Null: the decision points have changed, or the alert is in no cluster. */
  readonly values: PointValues | null
  /** The rule for macro F1 was off when the event was decided. */
  readonly ruleOff: boolean
}

export function modelPart(at: JobAt, opened: ExplainedModel, { reader, values, ruleOff }: ExplainedValues): ModelPart {
  const { job } = at
  const { row, model } = opened
  const { names, firstField } = reader
  const about = {
    modelId: modelIdOf(job.id, row.version),
    version: row.version,
    isActive: row.version === at.stats.modelVersion,
    trainedMicros: row.trainedMicros,
    votedEvents: row.summary.examples,
    evidenceWeight: row.summary.evidenceWeight,
    outlierThreshold: rounded(thresholdOf(at, opened)),
  }
  if (values === null) return { shown: { ...about, ...nothing }, reasons: null }
  const probabilities = new Float64Array(job.labels.length)
  const active = { model, version: row.version, probabilities }
  const reasons = reasonsOf(active, values, { firstField, needsFields: !hasClusters(job.category), ruleOff })
  model.predict(values, probabilities)
  const nearest = nearestOf(at, opened, values)
  const known = nearest[0] === undefined ? null : valuesAt(at, reader, nearest[0].micros)
  const without = (one: AnswerWithout): WithoutShown => ({
    fields: one.fields.map((field) => ({ field: names[field] as string, value: valueShown(values[field] ?? null) })),
    ...answerShown(job, one.answer),
    effect: one.effect / 100,
  })
  return {
    reasons,
    shown: {
      ...about,
      answer: answerShown(job, reasons.answer),
      probabilities: Object.fromEntries(job.labels.map(({ name }, label) => [name, probabilities[label] as number])),
      fields: reasons.fields.map(without),
      pair: reasons.pair === null ? null : without(reasons.pair),
      pairsTried: reasons.pairsTried,
      pairs: reasons.pairs,
      nearest: nearest.map(({ shown }) => shown),
      unlike: known === null ? [] : unlikeOf(model, { reader, values, known, score: reasons.answer.outlierScore }),
    },
  }
}

const nothing = {
  answer: null,
  probabilities: {},
  fields: [],
  pair: null,
  pairsTried: 0,
  pairs: 0,
  nearest: [],
  unlike: [],
} as const

/** The threshold of the active model follows its scores; an earlier one is shown with the one it began with. */
function thresholdOf({ job, stats }: JobAt, { row, model }: ExplainedModel): number {
  const terms = {
    outlierRate: outlierRateOf(job.advancedSettings),
    labelCounts: stats.labelledEvents,
    ...termsOfModel(model.summary),
  }
  return outlierThreshold(row.version === stats.modelVersion ? stats.watch : { ...stats.watch, anchor: null }, terms)
}

/** An event, and the nearest labelled one. */
interface Compared {
  readonly reader: EventValues
  readonly values: PointValues
  readonly known: PointValues
  /** The event's outlier score. */
  readonly score: number
}

/** The fields whose values would be less strange, were they those of the nearest labelled event. */
function unlikeOf(model: Model, { reader, values, known, score }: Compared): ModelExplanation['unlike'] {
  const unlike: ModelExplanation['unlike'][number][] = []
  for (let at = reader.firstField; at < values.length; at++) {
    const [value, other] = [values[at] ?? null, known[at] ?? null]
    if (JSON.stringify(value) === JSON.stringify(other)) continue
    const outlierScore = model.outlierScore(values.map((own, place) => (place === at ? other : own)))
    if (outlierScore >= score) continue
    unlike.push({ field: reader.names[at] as string, value: valueShown(value), known: valueShown(other), outlierScore })
  }
  unlike.sort((a, b) => a.outlierScore - b.outlierScore)
  return unlike.slice(0, UNLIKE_SHOWN).map((one) => ({ ...one, outlierScore: rounded(one.outlierScore) }))
}

function valuesAt({ environment, job }: JobAt, reader: EventValues, micros: number): PointValues | null {
  const record = environment.get('events', timeKey(job.id, micros))
  return record === undefined ? null : reader.of({ micros, record })
}

const head = Buffer.alloc(RECORD_HEAD_BYTES_MAX)

interface Nearest {
  readonly micros: number
  readonly shown: LabelledNeighbour
}

function nearestOf({ job, environment }: JobAt, { row, model }: ExplainedModel, values: PointValues): Nearest[] {
  const nearest: Nearest[] = []
  const seen = new Set<string>()
  for (const { place, label, distance } of model.neighbours(values, NEIGHBOURS_READ)) {
    if (nearest.length === limits.nearestShownMax) break
    const micros = row.referenceMicros?.[place] ?? 0
    // An event that was erased, or replaced by another version, is not shown.
    if (micros === 0 || environment.read('events', timeKey(job.id, micros), head) < 0) continue
    const header = decodeHeader(head)
    const bucketId = header.bucketId === null ? null : Buffer.from(header.bucketId).toString('hex')
    const same = `${bucketId ?? micros} ${label}`
    if (seen.has(same)) continue
    seen.add(same)
    const ballot = readBallot(environment, job.id, subjectOf(header, micros))
    const shown = {
      eventId: clientIdOf(head) ?? eventIdOf(micros),
      resultLabel: job.labels[label]?.name ?? '',
      consensus: ballot === null ? null : consensusName(job.labels, ballot.consensus),
      bucketId,
      likeness: rounded(likenessAt(distance)),
    }
    nearest.push({ micros, shown })
  }
  return nearest
}
