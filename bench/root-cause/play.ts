/**
 * One run: the set goes through clustering and decisions in time order, as in a job's actor. Some of the first fifth
 * get feedback, one training follows, and the rest is scored by its final decisions.
 */
import { ROOT_FIELDS } from '../../engine/domain/cause/cause-rows.js'
import { CauseModel, trainCause, type CauseExample } from '../../engine/domain/cause/cause-model.js'
import { Clustering } from '../../engine/domain/cause/clustering.js'
import { structuralAnswer, untrainedDecision } from '../../engine/domain/cause/context.js'
import { ContextCache } from '../../engine/domain/cause/context-cache.js'
import { LinkBelief, noFeedbackWeights } from '../../engine/domain/cause/feedback-weights.js'
import { causeSettingsOf } from '../../engine/domain/cause/settings.js'
import { AlertNormalizer } from '../../engine/domain/cause/normalized-alert.js'
import type { PointValues } from '../../engine/domain/event/point-value.js'
import type { PipelineStep } from '../../engine/domain/job/job.js'
import { labelsInOrder } from '../../engine/domain/job/label-roles.js'
import { defaultClassifier } from '../../engine/domain/learn/registry.js'
import { SeededRandom } from '../../engine/rng.js'
import type { Alarm } from './alarms.js'
import { MemoryCauseStore } from './memory-cause-store.js'

export interface PlayOptions {
  readonly labels: number
  readonly seed: number
  readonly parameters: Readonly<Record<string, unknown>>
  readonly points: readonly string[]
}

/** The answers of a method for every alarm. */
export interface Said {
  /** The first scored alarm. */
  readonly from: number
  /** The last decision of each alarm, and its probabilities, three an alarm. */
  readonly said: Int8Array
  readonly probabilities: Float64Array
  /** The decision on arrival. */
  readonly saidAtOnce: Int8Array
  readonly clusters: Float64Array
  /** The first root cause of each cluster that has more than one alarm. */
  readonly topRanked: readonly number[]
}

export interface Played extends Said {
  readonly windowMs: number
  readonly microsEach: number
  readonly trainingSeconds: number
}

const LABELS = 3

export function play(alarms: readonly Alarm[], options: PlayOptions): Played {
  const step: PipelineStep = { integrationId: 0, role: 'processor', enabled: true, parameters: options.parameters }
  const settings = causeSettingsOf({ pipeline: [step] })
  const normalizer = new AlertNormalizer(settings, options.points)
  const clustering = new Clustering(new MemoryCauseStore(), settings)
  const from = Math.floor(alarms.length / 5)
  const count = alarms.length
  const said = new Int8Array(count)
  const saidAtOnce = new Int8Array(count)
  const probabilities = new Float64Array(count * LABELS)
  const values = new Array<PointValues>(count)
  const contexts = new ContextCache(clustering.hawkes)
  let linkBelief = new LinkBelief(noFeedbackWeights)
  let model: CauseModel | null = null
  const one = new Float64Array(LABELS)
  const numberOf = (at: number): number => NOW_MICROS + at
  const decide = (at: number): void => {
    const alert = clustering.alert(numberOf(at))
    if (alert === null) throw new Error('an alarm without its row')
    const structure = structuralAnswer(alert, linkBelief, clustering.windowMs)
    if (model === null) {
      const { label, confidence } = untrainedDecision(structure, labelsInOrder)
      one.fill((1 - confidence / 10_000) / 2)
      one[label] = confidence / 10_000
      said[at] = label
    } else {
      model.assess(contexts.valuesOf(alert, structure, values[at] as PointValues), one)
      said[at] = model.choose(one)
    }
    probabilities.set(one, at * LABELS)
  }
  let trainingSeconds = 0
  let micros = 0
  for (let at = 0; at < count; at++) {
    if (at === from && options.labels > 0) {
      const startedAt = performance.now()
      model = new CauseModel(train({ alarms, clustering, values }, from, options))
      linkBelief = new LinkBelief(model.feedbackWeights)
      clustering.useFeedback(model.feedbackWeights)
      trainingSeconds = (performance.now() - startedAt) / 1000
    }
    const startedAt = performance.now()
    const { event } = alarms[at] as Alarm
    const normalized = normalizer.normalize(event, clustering.fields.look(event, options.points))
    values[at] = normalized.values
    const changed = clustering.add(normalized, numberOf(at), NOW_MICROS)
    decide(at)
    saidAtOnce[at] = said[at] as number
    for (const number of changed) decide(number - NOW_MICROS)
    micros += (performance.now() - startedAt) * 1000
  }
  const clusters = Float64Array.from(
    { length: count },
    (_, at) => clustering.cluster(clustering.alert(numberOf(at))?.cluster ?? 0)?.id ?? -1,
  )
  return {
    from,
    said,
    probabilities,
    saidAtOnce,
    clusters,
    topRanked: topRanked(clustering, clusters),
    windowMs: clustering.windowMs,
    microsEach: micros / count,
    trainingSeconds,
  }
}

/** The time of the runs: later than any set, so that no alarm seems to come from the future. */
const NOW_MICROS = Date.UTC(2026, 0, 1) * 1000

interface Seen {
  readonly alarms: readonly Alarm[]
  readonly clustering: Clustering
  readonly values: readonly PointValues[]
}

/** A model of the alarms before `from`. */
function train({ alarms, clustering, values }: Seen, from: number, options: PlayOptions): Uint8Array {
  const random = new SeededRandom(options.seed)
  const lines = Array.from({ length: from }, (_, at) => at)
  for (let at = from - 1; at > 0; at--) {
    const other = random.below(at + 1)
    ;[lines[at], lines[other]] = [lines[other] as number, lines[at] as number]
  }
  const example = (at: number): CauseExample => {
    const alert = clustering.alert(NOW_MICROS + at)
    if (alert === null) throw new Error('an alarm without its row')
    return { alert, label: (alarms[at] as Alarm).label, values: values[at] as PointValues }
  }
  return trainCause(
    {
      examples: lines
        .slice(0, options.labels)
        .sort((a, b) => a - b)
        .map(example),
      background: Array.from({ length: Math.min(2_000, from) }, (_, at) => example(from - 1 - at)),
      decisionPoints: options.points,
      labelCount: LABELS,
      byRole: labelsInOrder,
      facts: clustering.hawkes,
      window: { ms: clustering.hawkes.windowMs, fixed: clustering.settings.causeWindowMs > 0 },
      seed: options.seed,
    },
    defaultClassifier,
    () => true,
  )
}

function topRanked(clustering: Clustering, clusters: Float64Array): number[] {
  const found: number[] = []
  for (const id of new Set(clusters)) {
    const row = clustering.cluster(id)?.row
    if (row === undefined || row.size < 2) continue
    let best = 0
    for (let at = 0; at < row.roots.length; at += ROOT_FIELDS) {
      if ((row.roots[at + 2] as number) > (row.roots[best + 2] as number)) best = at
    }
    if (row.roots.length > 0) found.push((row.roots[best] as number) - NOW_MICROS)
  }
  return found
}
