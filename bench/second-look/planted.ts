/** Wrong labels that are planted into a set, and what finding them brings. */
import type { Example, PointValues, TrainingSet } from '../../engine/domain/learn/classifier.js'
import { defaultClassifier } from '../../engine/domain/learn/registry.js'
import { doubtedLabels, type HeldOutAnswer } from '../../engine/domain/learn/selection/doubted-labels.js'
import { SeededRandom } from '../../engine/rng.js'
import { backgroundOf, examplesOf } from '../quality/classify.js'
import type { Dataset } from '../quality/dataset.js'
import { ClassificationTally } from '../quality/figures.js'

export interface Planted {
  readonly set: string
  readonly seed: number
  /** The share of labels that are wrong. */
  readonly noise: number
  /** Examples with the labels as analysts gave them. Their times are lines of the set. */
  readonly examples: readonly Example[]
  readonly wrong: ReadonlySet<number>
  readonly answers: readonly HeldOutAnswer[]
  /** Macro F1 of the model that was trained with them. */
  readonly macroF1: number
}

const TEST_LINES = 4_000

/** Examples with these labels wrong; `noise` 0 is the truth. */
function examplesWith(dataset: Dataset, lines: readonly number[], noise: number, seed: number) {
  const labels = Int32Array.from(dataset.labels)
  const random = new SeededRandom(1 + seed)
  const drawn = [...lines].map((line) => ({ line, at: random.below(2 ** 30) })).sort((a, b) => a.at - b.at)
  const wrong = new Set<number>()
  for (const { line } of drawn.slice(0, Math.round(noise * lines.length))) {
    const count = dataset.labelNames.length
    labels[line] = ((labels[line] as number) + 1 + random.below(count - 1)) % count
    wrong.add(line)
  }
  return { examples: examplesOf({ ...dataset, labels }, lines, false), wrong }
}

function trained(dataset: Dataset, examples: readonly Example[], seed: number, onHeldOut?: TrainingSet['onHeldOut']) {
  const { points, labelNames, protocol } = dataset
  const labelCount = labelNames.length
  const bytes = defaultClassifier.train(
    {
      points,
      labelCount,
      examples,
      background: backgroundOf(dataset),
      seed: seed + 1,
      objective: 'macro_f1',
      ...(onHeldOut === undefined ? {} : { onHeldOut }),
    },
    () => true,
  )
  const model = defaultClassifier.load(bytes)
  const tally = new ClassificationTally(labelCount)
  const probabilities = new Float64Array(labelCount)
  const step = Math.max(1, Math.ceil(protocol.test.length / TEST_LINES))
  for (let at = 0; at < protocol.test.length; at += step) {
    const line = protocol.test[at] as number
    model.predict(dataset.values[line] as PointValues, probabilities)
    tally.add(probabilities, dataset.labels[line] as number, model.choose(probabilities))
  }
  return tally.figures().macroF1
}

export function plant(dataset: Dataset, seed: number, noise: number, labels: number): Planted {
  const lines = dataset.protocol.pick('random', seed).slice(0, labels)
  const { examples, wrong } = examplesWith(dataset, lines, noise, seed)
  let answers: readonly HeldOutAnswer[] = []
  const macroF1 = trained(dataset, examples, seed, (all) => {
    answers = all
  })
  return { set: dataset.name, seed, noise, examples, wrong, answers, macroF1 }
}

/** Places in `answers`, the most doubted first. */
export function ourRanking({ answers }: Planted, labelCount: number): number[] {
  const places = new Map(answers.map(({ example }, place) => [example, place]))
  return doubtedLabels(answers, labelCount).map(({ example }) => places.get(example) as number)
}

function isWrong({ answers, examples, wrong }: Planted, place: number): boolean {
  const example = answers[place]?.example
  return example !== undefined && wrong.has((examples[example] as Example).micros as number)
}

/** The share of wrong ones among the first `count` of a ranking. */
export function precision(planted: Planted, ranking: readonly number[], count: number): number {
  const first = ranking.slice(0, count)
  return first.length === 0 ? 0 : first.filter((place) => isWrong(planted, place)).length / count
}

/** Macro F1 after a second look at the first `count` of a ranking: those that are wrong get the true label. */
export function afterLook(dataset: Dataset, planted: Planted, ranking: readonly number[], count: number): number {
  const looked = new Set(ranking.slice(0, count).map((place) => planted.answers[place]?.example))
  const examples = planted.examples.map((example, at) => {
    return looked.has(at) ? { ...example, label: dataset.labels[example.micros as number] as number } : example
  })
  return trained(dataset, examples, planted.seed)
}
