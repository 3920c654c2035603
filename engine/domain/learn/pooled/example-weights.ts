/**
 * The weights of a training's examples: their own, drawn towards what each stands for in the stream (importance.ts).
 */
import type { TrainingSet } from '../classifier.js'
import { weighByStream } from '../linear/importance.js'
import type { Stage } from '../progress.js'
import type { CodedExamples } from './coded-examples.js'

export interface ExampleWeights {
  /** By example; their sum is that of the examples' own weights. */
  readonly ofExamples: Float64Array
  /** Their sums by row of the matrix. */
  readonly ofRows: Float64Array
}

/** This many examples draw weights half-way to the shares of the stream, many more nearly all the way. */
const streamHalf = 10

function sum(numbers: Iterable<number>): number {
  let total = 0
  for (const number of numbers) total += number
  return total
}

export function weighExamples(
  { examples, background }: TrainingSet,
  { table, vocabulary }: CodedExamples,
  stage: Stage,
): ExampleWeights {
  const { matrix, coder } = table
  const { rowOf, rowCount } = matrix
  const ratios = weighByStream({ matrix, background, coder, featureCount: vocabulary.hashes.length }, stage)
  const pull = examples.length / (examples.length + streamHalf)
  const drawn = Float64Array.from(examples, ({ weight }, i) => weight * (ratios[rowOf[i] as number] as number) ** pull)
  const share = sum(examples.map(({ weight }) => weight)) / sum(drawn)
  const ofExamples = drawn.map((weight) => weight * share)
  const ofRows = new Float64Array(rowCount)
  for (let i = 0; i < rowOf.length; i++)
    ofRows[rowOf[i] as number] = (ofRows[rowOf[i] as number] as number) + (ofExamples[i] as number)
  return { ofExamples, ofRows }
}
