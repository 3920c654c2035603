/**
 * The entry of a training thread: from a snapshot of a shard to the bytes of a model (D6).
 *
 * Owns: reading the examples of a job in one snapshot. Leaves out: the algorithm (domain/learn/), installing the model
 * (job-actor.ts).
 *
 * 1. Examples, background and feedback sequence come from one snapshot, so the model knows exactly the feedback up to
 *    that number.
 * 2. The order of the examples follows from the stored rows, so the same state gives the same bytes (S17).
 */
import { CauseModel } from '../../domain/cause/cause-model.js'
import type { CauseSettings } from '../../domain/cause/settings.js'
import { limits } from '../../limits.js'
import type { PointValues } from '../../domain/event/point-value.js'
import { BUCKET_ID_BYTES } from '../../domain/event/bucket-key.js'
import { isLabel } from '../../domain/learn/consensus.js'
import { missingForTraining } from '../../domain/learn/knowledge-base.js'
import { TrainingCancelled, type Example, type Model } from '../../domain/learn/classifier.js'
import { defaultClassifier } from '../../domain/learn/registry.js'
import { selectionBounds } from '../../domain/learn/selection/bounds.js'
import { doubtedLabels, type DoubtedLabel, type HeldOutAnswer } from '../../domain/learn/selection/doubted-labels.js'
import { examplesOf } from '../../domain/learn/voted-examples.js'
import { reportMemory } from '../../runtime/threads/memory-report.js'
import { openShard } from '../../store/directory/environments.js'
import type { Environment } from '../../store/environment.js'
import { decodeBallot } from '../../store/ballot-row.js'
import type { DoubtedVote, DrawnFigures } from '../../store/model-votes.js'
import { jobRange, timeOfValue } from '../../store/tables.js'
import { analystWeights } from '../analysts/analyst-figures.js'
import { CauseExamples, type LabelledEvent } from './cause-training.js'
import { lastTime } from '../../actor/event-table.js'
import { readStats } from '../../actor/job-stats.js'
import { TrainingSignals, type TrainingResult, type TrainingTask } from './training-protocol.js'
import { StoredValues } from './stored-values.js'
import { votedSubjects } from './voted-subjects.js'

const KEY_JOB_BYTES = 4

/** Trains one model. @throws TrainingCancelled, and Error for anything that went wrong. */
export default async function trainModel(task: TrainingTask): Promise<TrainingResult> {
  const signals = new TrainingSignals(task.signals)
  if (!signals.report(0, 'reading the examples')) throw new TrainingCancelled('cancelled')
  const environment = openShard(task.dataDir, task.shard)
  reportMemory()
  try {
    return trainFrom(environment, task, signals)
  } finally {
    await environment.close()
  }
}

/** Trains from an environment that is open. */
export function trainFrom(environment: Environment, task: TrainingTask, signals: TrainingSignals): TrainingResult {
  if (task.cause !== undefined) return trainCauseFrom(environment, task, task.cause, signals)
  const { examples, background, throughSeq, throughMicros } = readExamples(environment, task)
  const counts = task.labels.map((_, label) => examples.filter((example) => example.label === label).length)
  const missing = missingForTraining(counts, task.labels)
  if (missing !== null) throw new Error(missing)
  const { points, seed, objective } = task
  const labelCount = task.labels.length
  let answers: readonly HeldOutAnswer[] = []
  const onHeldOut = (all: readonly HeldOutAnswer[]): void => {
    answers = all
  }
  const set = { points, labelCount, examples, background, seed, objective, onHeldOut }
  const model = defaultClassifier.train(set, (done, what) => report(signals, done, what))
  const loaded = defaultClassifier.load(model)
  const { summary, references } = loaded
  const referenceMicros = Array.from(references, (example) => examples[example]?.micros ?? 0)
  const votes = {
    doubted: doubtedVotes(examples, doubtedLabels(answers, labelCount)),
    drawn: drawnFigures(examples, answers, loaded),
    analystWeights: analystWeights(environment, task.jobId, labelCount),
  }
  const facts = { examples: examples.length, labelCounts: counts, throughMicros, ...votes }
  return { model, summary, throughSeq, referenceMicros, ...facts }
}

/** Of the held-out examples that were drawn by event. */
function drawnFigures(
  examples: readonly Example[],
  answers: readonly HeldOutAnswer[],
  model: Pick<Model, 'choose'>,
): DrawnFigures | undefined {
  const drawn = answers.filter(({ example }) => examples[example]?.isUniform === true)
  if (drawn.length === 0) return undefined
  const right = drawn.filter(({ label, probabilities }) => model.choose(probabilities) === label).length
  return { votes: drawn.length, right: right / drawn.length }
}

/** The most doubted ones, each event once. Another label has to be ahead. */
function doubtedVotes(examples: readonly Example[], labels: readonly DoubtedLabel[]): DoubtedVote[] {
  const found = new Map<number, DoubtedVote>()
  for (const { example, doubt: _, ...one } of labels) {
    const micros = examples[example]?.micros ?? 0
    if (found.size >= selectionBounds.doubtedMax) break
    if (one.other > one.given && micros > 0 && !found.has(micros)) found.set(micros, { ...one, micros })
  }
  return [...found.values()]
}

function trainCauseFrom(
  environment: Environment,
  task: TrainingTask,
  settings: CauseSettings,
  signals: TrainingSignals,
): TrainingResult {
  environment.refresh()
  const { feedbackSeq } = readStats(environment, task.jobId, task.labels.length)
  const throughMicros = lastTime(environment)
  const labelled: LabelledEvent[] = []
  for (const { key, value } of environment.range('ballots', jobRange(task.jobId))) {
    const { consensus } = decodeBallot(value)
    const subject = key.subarray(KEY_JOB_BYTES)
    if (!isLabel(consensus) || subject.length === BUCKET_ID_BYTES || labelled.length >= limits.trainingExamplesMax)
      continue
    labelled.push({ micros: timeOfValue(subject), label: consensus })
  }
  const known = new CauseExamples(environment, task, settings, labelled)
  const counts = task.labels.map((_, label) => known.examples.filter((example) => example.label === label).length)
  const missing = missingForTraining(counts, task.labels)
  if (missing !== null) throw new Error(missing)
  const model = known.train((done, what) => report(signals, done, what))
  const { summary, references } = new CauseModel(model)
  const referenceMicros = Array.from(references, (example) => known.examples[example]?.micros ?? 0)
  const facts = { examples: known.examples.length, labelCounts: counts, throughMicros, doubted: [] }
  return { model, summary, throughSeq: feedbackSeq, referenceMicros, ...facts }
}

/** Reports the progress of the learner, which follows the reading of the examples. */
function report(signals: TrainingSignals, done: number, what: string): boolean {
  reportMemory()
  return signals.report(0.05 + 0.95 * done, what)
}

interface TrainingSet {
  readonly examples: readonly Example[]
  readonly background: readonly PointValues[]
  readonly throughSeq: number
  readonly throughMicros: number
}

function readExamples(environment: Environment, task: TrainingTask): TrainingSet {
  environment.refresh()
  const { feedbackSeq, events } = readStats(environment, task.jobId, task.labels.length)
  const values = new StoredValues(environment, task.points, task.types)
  const { subjects, singles } = votedSubjects(environment, task, values)
  const examples = examplesOf(subjects, events, limits.trainingExamplesMax, singles)
  const background = recentEvents(environment, task, values)
  return { examples, background, throughSeq: feedbackSeq, throughMicros: lastTime(environment) }
}

/** The latest events, oldest first, labelled or not. They show what the stream looks like. */
function recentEvents(environment: Environment, task: TrainingTask, values: StoredValues): PointValues[] {
  const recent = environment.range('events', {
    ...jobRange(task.jobId),
    reverse: true,
    limit: limits.trainingBackgroundMax,
  })
  return [...recent].map(({ value }) => values.of(value)).reverse()
}
