/** Decision rules (decision-rule.ts) between others: part of the way from the most probable label, and means. */
import type { DecisionRule } from './decision-rule.js'

/** A rule counts 1/e of the best one where its expected macro F1 is this much less. */
const nearlyBest = 0.003

/** A rule of a round, and the macro F1 that is expected of it. */
export interface RatedRule {
  readonly rule: DecisionRule
  readonly f1: number
}

/**
 * The rule between accuracy (share 0) and this one (1). Worths are interpolated by the logarithm; their geometric mean
 * is 1.
 */
export function between(rule: DecisionRule, share: number, among: Int32Array, labelCount: number): DecisionRule {
  let logs = 0
  for (const k of among) logs += Math.log(rule.worths[k * labelCount + k] as number)
  const scale = Math.exp(logs / among.length)
  const worths = rule.worths.map((worth) => (worth > 0 ? (worth / scale) ** share : 0))
  return { worths, offsets: rule.offsets.map((offset) => (share * offset) / scale) }
}

/** The mean of the rules, those with the greatest expected macro F1 foremost. */
export function meanRule(all: readonly RatedRule[], among: Int32Array, labelCount: number): DecisionRule {
  const most = Math.max(...all.map(({ f1 }) => f1))
  const weights = all.map(({ f1 }) => Math.exp((f1 - most) / nearlyBest))
  const total = weights.reduce((a, b) => a + b, 0)
  const logs = new Float64Array(labelCount)
  const offsets = new Float64Array(labelCount)
  all.forEach(({ rule }, i) => {
    const { worths, offsets: own } = between(rule, 1, among, labelCount)
    const weight = (weights[i] as number) / total
    for (const k of among) {
      logs[k] = (logs[k] as number) + weight * Math.log(worths[k * labelCount + k] as number)
      offsets[k] = (offsets[k] as number) + weight * (own[k] as number)
    }
  })
  const worths = new Float64Array(labelCount * labelCount)
  for (const k of among) worths[k * labelCount + k] = Math.exp(logs[k] as number)
  return { worths, offsets }
}

/** A single example of so many or fewer is no rare label; of `rareFrom` and more it is. */
const commonUpTo = 30
const rareFrom = 100

/** How far the worth of a label goes from that of the commonest label to that of the rule, by its examples. */
function evidenceShare(examples: number, ofAll: number): number {
  const rare = Math.log(ofAll / commonUpTo) / Math.log(rareFrom / commonUpTo)
  return 1 - Math.min(1, Math.max(0, rare)) * Math.exp(1 - Math.max(1, examples))
}

/**
 * The rule with less for rare labels of few examples. A single example tells nothing of others like it, and is never
 * held out: whether its label is rightly answered is a coin flip. Such a label is answered where it is the most
 * probable. Five examples get nearly all of the rule.
 */
export function byEvidence({ worths, offsets }: DecisionRule, examples: Int32Array, among: Int32Array): DecisionRule {
  const count = offsets.length
  const ofAll = examples.reduce((a, b) => a + b, 0)
  const logOf = (k: number): number => Math.log(worths[k * count + k] as number)
  const commonest = among.reduce((a, b) => (logOf(b) < logOf(a) ? b : a))
  const [log, offset] = [logOf(commonest), offsets[commonest] as number]
  const shared = { worths: worths.slice(), offsets: offsets.slice() }
  for (const k of among) {
    const share = evidenceShare(examples[k] as number, ofAll)
    shared.worths[k * count + k] = Math.exp(log + share * (logOf(k) - log))
    shared.offsets[k] = offset + share * ((offsets[k] as number) - offset)
  }
  return shared
}
