/**
 * How reliable each analyst is with each label, from events that several analysts answered.
 *
 * Nobody knows the truth of an event. It is estimated together with the analysts: expectation maximization over the
 * confusion of each analyst, θ(a, true label, label said), and the shares of the labels. (Dawid, Skene, "Maximum
 * likelihood estimation of observer error-rates using the EM algorithm", 1979.) Each row of θ begins with one vote
 * spread evenly and one for the right label, so that few votes make nobody perfect or hopeless.
 */
import type { RatedItem } from './rater-agreement.js'

/** Events that two analysts have to have answered. */
export const sharedEventsMin = 30
/** The most that one vote may count where a consensus is weighted. */
export const voteWeightMax = 5
const rounds = 50
const settled = 1e-6

export interface Reliabilities {
  readonly labelCount: number
  /** By label: its share of the truth. */
  readonly shares: Float64Array
  /** By analyst, true label, label said. */
  readonly confusion: Float64Array
}

/** Null where too few events were answered by two. */
export function dawidSkene(all: readonly RatedItem[], analystCount: number, labelCount: number): Reliabilities | null {
  const items = all.filter((item) => item.length >= 2)
  if (items.length < sharedEventsMin) return null
  const beliefs = items.map((item) => majorityShares(item, labelCount))
  const state = {
    labelCount,
    shares: new Float64Array(labelCount),
    confusion: new Float64Array(analystCount * labelCount * labelCount),
  }
  for (let round = 0; round < rounds; round++) {
    maximize(state, items, beliefs)
    if (expect(state, items, beliefs) < settled) break
  }
  maximize(state, items, beliefs)
  return state
}

function majorityShares(item: RatedItem, labelCount: number): Float64Array {
  const shares = new Float64Array(labelCount)
  for (const { label } of item) shares[label] = (shares[label] as number) + 1 / item.length
  return shares
}

function maximize(
  { labelCount, shares, confusion }: Reliabilities,
  items: readonly RatedItem[],
  beliefs: readonly Float64Array[],
): void {
  shares.fill(1 / labelCount)
  for (let at = 0; at < confusion.length; at++) {
    const [truth, said] = [Math.floor(at / labelCount) % labelCount, at % labelCount]
    confusion[at] = 1 / labelCount + Number(truth === said)
  }
  for (const [i, item] of items.entries())
    for (const [truth, belief] of (beliefs[i] as Float64Array).entries()) {
      shares[truth] = (shares[truth] as number) + belief
      for (const { analyst, label } of item) {
        const at = (analyst * labelCount + truth) * labelCount + label
        confusion[at] = (confusion[at] as number) + belief
      }
    }
  normalize(shares, 0, labelCount)
  for (let from = 0; from < confusion.length; from += labelCount) normalize(confusion, from, labelCount)
}

function normalize(numbers: Float64Array, from: number, count: number): void {
  let sum = 0
  for (let at = from; at < from + count; at++) sum += numbers[at] as number
  for (let at = from; at < from + count; at++) numbers[at] = (numbers[at] as number) / sum
}

/** Returns the largest change of a belief. */
function expect(
  { labelCount, shares, confusion }: Reliabilities,
  items: readonly RatedItem[],
  beliefs: readonly Float64Array[],
): number {
  let change = 0
  for (const [i, item] of items.entries()) {
    const next = Float64Array.from(shares)
    for (const { analyst, label } of item) {
      for (let truth = 0; truth < labelCount; truth++) {
        const at = (analyst * labelCount + truth) * labelCount + label
        next[truth] = (next[truth] as number) * (confusion[at] as number)
      }
      normalize(next, 0, labelCount)
    }
    const before = beliefs[i] as Float64Array
    for (let k = 0; k < labelCount; k++)
      change = Math.max(change, Math.abs((next[k] as number) - (before[k] as number)))
    before.set(next)
  }
  return change
}

/** The share of events with this true label that the analyst answers with it. */
export function reliabilityOf({ labelCount, confusion }: Reliabilities, analyst: number, label: number): number {
  return confusion[(analyst * labelCount + label) * labelCount + label] as number
}

/** The chance that the label is the truth where the analyst says it. */
export function precisionOf({ labelCount, shares, confusion }: Reliabilities, analyst: number, label: number): number {
  let [right, all] = [0, 0]
  for (let truth = 0; truth < labelCount; truth++) {
    const chance =
      (shares[truth] as number) * (confusion[(analyst * labelCount + truth) * labelCount + label] as number)
    all += chance
    if (truth === label) right = chance
  }
  return all > 0 ? right / all : 0
}

/**
 * How much a vote of the analyst for the label counts, a whole number from 1 to voteWeightMax: the logarithm of the
 * odds that it is right, against those of chance.
 */
export function voteWeight(reliabilities: Reliabilities, analyst: number, label: number): number {
  const precision = Math.min(0.999, precisionOf(reliabilities, analyst, label))
  const odds = (precision / (1 - precision)) * (reliabilities.labelCount - 1)
  return Math.min(voteWeightMax, Math.max(1, Math.round(Math.log(Math.max(1, odds)))))
}
