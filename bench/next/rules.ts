/** The rules that the bench compares, as variants of one: what counts as mass, whether doubt counts, which slots. */
import { AskOrder } from '../../engine/domain/learn/selection/ask-order.js'
import type { Candidates } from '../../engine/domain/learn/selection/candidates.js'
import { slotAt } from '../../engine/domain/learn/selection/slots.js'

/** What fills the slots that hunt for threats. */
export type Hunt = 'unsure' | 'unlike' | 'far' | 'threat'

export interface Rule {
  readonly name: string
  /** The power of the events in the mass of a bucket; 0: none. */
  readonly power: number
  readonly usesDoubt: boolean
  /** λ: the weight of the neighbours. */
  readonly neighbourWeight: number
  /** Every pick is drawn by event. */
  readonly isRandom?: true
  /** One slot in ten is drawn by event. */
  readonly hasUniform?: true
  readonly hunt?: Hunt
}

const ours = { power: 0.5, usesDoubt: true, neighbourWeight: 1 } as const

/** `service` is what the service does. */
export const rules: readonly Rule[] = [
  { name: 'random', power: 0, usesDoubt: false, neighbourWeight: 0, isRandom: true },
  { name: 'largest', power: 1, usesDoubt: false, neighbourWeight: 0 },
  { name: 'margin', power: 0, usesDoubt: true, neighbourWeight: 0 },
  { name: 'margin-mass', power: 1, usesDoubt: true, neighbourWeight: 0 },
  { ...ours, name: 'rule-m', power: 1 },
  { ...ours, name: 'rule-root' },
  { ...ours, name: 'uniform', hasUniform: true },
  { ...ours, name: 'service', hasUniform: true, hunt: 'far' },
  { ...ours, name: 'unsure', hasUniform: true, hunt: 'unsure' },
  { ...ours, name: 'unlike', hasUniform: true, hunt: 'unlike' },
  { ...ours, name: 'threat', hasUniform: true, hunt: 'threat' },
]

/** What a rule picks from. */
export interface Choice {
  readonly candidates: Candidates
  readonly events: Float64Array
  /** By candidate: the likeness to the nearest bucket with a rare label. */
  readonly threat: Float64Array
  /** By candidate: where it stands in a draw by event, the smallest first. */
  readonly draw: Float64Array
}

/** Places of the next `count` picks, after `votes` votes. */
export function pickBy(rule: Rule, choice: Choice, votes: number, count: number): number[] {
  const { candidates, events, draw } = choice
  const mass = events.map((number) => number ** rule.power)
  const doubt = rule.usesDoubt ? candidates.doubt : candidates.doubt.map(() => 1)
  const order = new AskOrder({ ...candidates, mass, doubt }, rule.neighbourWeight)
  const picked: number[] = []
  for (let at = votes; at < votes + count; at++) {
    const slot = slotAt(at)
    const isDrawn = rule.isRandom === true || (rule.hasUniform === true && slot === 'uniform')
    const hunt = slot === 'hunt' ? rule.hunt : undefined
    const place = isDrawn
      ? order.most((one) => -(draw[one] as number))
      : hunt === undefined
        ? order.best()
        : order.most((one) => hunted(hunt, choice, order, one))
    if (place < 0) break
    order.take(place, true)
    picked.push(place)
  }
  return picked
}

function hunted(hunt: Hunt, { candidates, threat }: Choice, order: AskOrder, place: number): number {
  const doubt = candidates.doubt[place] as number
  if (hunt === 'unsure') return doubt
  if (hunt === 'unlike') return candidates.unlike[place] as number
  if (hunt === 'far') return 1 - order.covered(place)
  return (threat[place] as number) * (1 - order.covered(place))
}
