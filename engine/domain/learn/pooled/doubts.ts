/**
 * The members whose doubt counts in the outlier check.
 *
 * The linear member and the extra trees are unsure between known events, boosting where many small reasons cancel out.
 * Which of them recognises unlabelled kinds of events differs from stream to stream.
 */
import { boostingPlace } from './members.js'

/** Their places among the members. */
export const doubted: readonly number[] = [0, 1, boostingPlace]

/** Fills `doubts`: 1 - the top probability of each of these members. `chances` are the panel's, from `at` on. */
export function fillDoubts(chances: Float64Array, at: number, classCount: number, doubts: Float64Array): void {
  for (let d = 0; d < doubted.length; d++) {
    const from = at + (doubted[d] as number) * classCount
    let top = 0
    for (let k = from; k < from + classCount; k++) top = Math.max(top, chances[k] as number)
    doubts[d] = 1 - top
  }
}
