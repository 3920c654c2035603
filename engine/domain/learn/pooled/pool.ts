/**
 * Mixes the members' answers into one: a linear opinion pool (Genest, Zidek 1986) of softened answers.
 *
 *   p = sum_m w_m soften(p_m, T_m)
 *
 * The temperatures T_m are 1 or more and have the least log-loss on held-out examples (Guo et al., "On Calibration of
 * Modern Neural Networks", 2017), under a normal prior on their logarithms: few examples would not tell 2 from 4. No
 * member is sharpened, which fails as the stream drifts. The weights w are fitted by
 * expectation maximisation of the held-out likelihood under a Dirichlet prior. Its centre moves with the number of
 * labels. Its strength is a share of the held-out examples, up to a bound.
 */
import type { ModelReader, ModelWriter } from '../model-bytes.js'
import { fewExamples } from '../significant-gain.js'
import type { HeldOut } from './held-out.js'
import { memberCount, memberNames } from './members.js'

export interface Pool {
  /** By member, in the order of members.ts; they sum to 1. */
  readonly weights: Float64Array
  readonly temperatures: Float64Array
}

/**
 * The prior weights at some numbers of labels; interpolated by the logarithm. A weight of 0 stays 0: trainings grow no
 * random forest.
 */
const priors: readonly { readonly labels: number; readonly weights: readonly number[] }[] = [
  { labels: 10, weights: [0.057, 0.453, 0, 0.026, 0.464] },
  { labels: 30, weights: [0.144, 0.4, 0, 0.067, 0.389] },
  { labels: 100, weights: [0.222, 0.167, 0, 0.5, 0.111] },
  { labels: 300, weights: [0.174, 0.174, 0, 0.605, 0.047] },
  { labels: 1_000, weights: [0.198, 0.151, 0, 0.628, 0.023] },
]
/**
 * Pseudo-counts of the prior, as a share of the held-out examples, and their maximum: hundreds of examples outweigh it.
 */
const priorShare = 0.1
const priorMost = 20
/** Pseudo-counts with few examples, which cannot decide alone which member is right. */
const priorOfFew = 5
const rounds = 100
/** Temperatures to try: from 1 to about 5, each a tenth more. */
const trials = Float64Array.from({ length: 17 }, (_, i) => 1.1 ** i)
/**
 * From this many held-out examples on, temperatures are fitted to the mixture, in turns with the weights: what one
 * member excludes by mistake others make up for. With fewer, each member is fitted alone, which softens more.
 */
const togetherMin = 500
const turns = 2
/** The standard deviation of the prior on the logarithm of a temperature. */
const temperatureSpread = 0.5
/**
 * Where the latest examples were held out, answers are softened by this power of the fitted temperatures. Those
 * examples are further from the others than new events are from a model that knows all.
 */
const laterPower = 0.25
/** The least gain of a softer temperature, nats over all held-out examples. */
const lossMin = 1e-6
const chanceMin = 1e-9

/** The prior weights at this number of labels. */
export function priorWeights(labels: number): Float64Array {
  const after = priors.findIndex((prior) => prior.labels >= labels)
  const high = priors[after < 0 ? priors.length - 1 : after] as (typeof priors)[number]
  if (after <= 0) return Float64Array.from(high.weights)
  const low = priors[after - 1] as (typeof priors)[number]
  const share = Math.log(labels / low.labels) / Math.log(high.labels / low.labels)
  return Float64Array.from(high.weights, (weight, m) => (low.weights[m] as number) * (1 - share) + weight * share)
}

/** Takes `classCount` probabilities from `at` on to the power 1 / temperature, scaled to sum to 1. */
function soften(chances: Float64Array, at: number, classCount: number, temperature: number): void {
  let sum = 0
  for (let k = at; k < at + classCount; k++) {
    const softer = Math.max(chanceMin, chances[k] as number) ** (1 / temperature)
    chances[k] = softer
    sum += softer
  }
  for (let k = at; k < at + classCount; k++) chances[k] = (chances[k] as number) / sum
}

/** A member's probability of the true class on each held-out example, at a temperature, with the uniform share. */
function truthOf(held: HeldOut, member: number, temperature: number, floor: number): Float64Array {
  const { classCount, classes, chances } = held
  const one = new Float64Array(classCount)
  return Float64Array.from(classes, (label, h) => {
    const at = (h * memberCount + member) * classCount
    for (let k = 0; k < classCount; k++) one[k] = chances[at + k] as number
    if (temperature > 1) soften(one, 0, classCount, temperature)
    return (1 - floor) * (one[label] as number) + floor / classCount
  })
}

/** The weighted sum over all members but one of their probabilities of the true class. */
function withoutMember(truths: readonly Float64Array[], weights: Float64Array, member: number): Float64Array {
  const rest = new Float64Array((truths[0] as Float64Array).length)
  truths.forEach((truth, m) => {
    if (m === member) return
    const weight = weights[m] as number
    for (let h = 0; h < rest.length; h++) rest[h] = (rest[h] as number) + weight * (truth[h] as number)
  })
  return rest
}

/** The index of a member's best temperature, with this weight beside the rest. */
function fitTemperature(
  byTemperature: readonly Float64Array[],
  rest: Float64Array,
  weight: number,
  counts: Float64Array,
): number {
  let best = 0
  let least = Infinity
  byTemperature.forEach((truth, t) => {
    let loss = (Math.log(trials[t] as number) / temperatureSpread) ** 2 / 2
    for (let h = 0; h < rest.length; h++)
      loss -= (counts[h] as number) * Math.log((rest[h] as number) + weight * (truth[h] as number))
    if (loss >= least - lossMin) return
    least = loss
    best = t
  })
  return best
}

/** Fits the pool to held-out answers. `labels` is the number of labels, `floor` the uniform share of every answer. */
export function fitPool(held: HeldOut | null, labels: number, floor: number): Pool {
  const prior = priorWeights(labels)
  if (held === null) return { weights: prior, temperatures: new Float64Array(memberCount).fill(1) }
  // A member without a say needs no temperature.
  const all = memberNames.map((_, m) =>
    [...trials.subarray(0, prior[m] === 0 ? 1 : trials.length)].map((trial) => truthOf(held, m, trial, floor)),
  )
  const count = held.classes.length
  const chosen = Int32Array.from(all, (byTemperature) =>
    fitTemperature(byTemperature, new Float64Array(count), 1, held.weights),
  )
  const truths = all.map((byTemperature, m) => byTemperature[chosen[m] as number] as Float64Array)
  let weights = mixtureWeights(truths, held.weights, prior, prior)
  for (let turn = 0; count >= togetherMin && turn < turns; turn++) {
    for (let m = 0; m < memberCount; m++) {
      const byTemperature = all[m] as Float64Array[]
      chosen[m] = fitTemperature(byTemperature, withoutMember(truths, weights, m), weights[m] as number, held.weights)
      truths[m] = byTemperature[chosen[m] as number] as Float64Array
    }
    weights = mixtureWeights(truths, held.weights, prior, weights)
  }
  return { weights, temperatures: Float64Array.from(chosen, (t) => trials[t] as number) }
}

/** The pool that a model answers with: softens less where the latest examples were held out. */
export function poolToAnswer(pool: Pool, held: HeldOut | null): Pool {
  if (held === null || held.foldCount > 1) return pool
  return { weights: pool.weights, temperatures: pool.temperatures.map((temperature) => temperature ** laterPower) }
}

/** The weights with the greatest posterior probability, starting from `first`. */
function mixtureWeights(
  truths: readonly Float64Array[],
  counts: Float64Array,
  prior: Float64Array,
  first: Float64Array,
): Float64Array {
  const strength = counts.length < fewExamples ? priorOfFew : Math.min(priorMost, priorShare * counts.length)
  let weights = first
  for (let round = 0; round < rounds; round++) {
    const next = prior.map((share) => share * strength)
    for (let h = 0; h < counts.length; h++) {
      let sum = 0
      for (let m = 0; m < memberCount; m++) sum += (weights[m] as number) * ((truths[m] as Float64Array)[h] as number)
      for (let m = 0; m < memberCount; m++) {
        const share = ((weights[m] as number) * ((truths[m] as Float64Array)[h] as number)) / sum
        next[m] = (next[m] as number) + (counts[h] as number) * share
      }
    }
    const total = next.reduce((a, b) => a + b, 0)
    weights = next.map((weight) => weight / total)
  }
  return weights
}

/** Fills `answer` with the mixture of `chances`, by member from `at` on; softens them in place. */
export function mix(pool: Pool, chances: Float64Array, at: number, answer: Float64Array): void {
  const classCount = answer.length
  answer.fill(0)
  for (let m = 0; m < memberCount; m++) {
    const from = at + m * classCount
    const temperature = pool.temperatures[m] as number
    if (temperature > 1) soften(chances, from, classCount, temperature)
    const weight = pool.weights[m] as number
    for (let k = 0; k < classCount; k++) answer[k] = (answer[k] as number) + weight * (chances[from + k] as number)
  }
}

export function writePool(pool: Pool, to: ModelWriter): void {
  to.f64s(pool.weights)
  to.f64s(pool.temperatures)
}

export function readPool(from: ModelReader): Pool {
  return { weights: from.f64s(), temperatures: from.f64s() }
}
