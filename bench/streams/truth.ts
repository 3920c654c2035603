/**
 * The verdict of a careful analyst who knows the organisation: Escalate, Drop or Investigate.
 *
 * It is a weighted sum of the alert's fields, with a little chance near the thresholds and, rarely, a plain mistake.
 * The sum uses only what the fields show, so it can be learned. The chance bounds how well.
 */
import type { Random } from './random.js'
import type { Situation } from './situation.js'

export type AlertLabel = 'Escalate' | 'Drop' | 'Investigate'

export const alertLabels: readonly AlertLabel[] = ['Escalate', 'Drop', 'Investigate']

const escalateFrom = 1.6
const investigateFrom = 0.7
const doubt = 0.12
const mistakes = 0.008

/** How bad it is; about -4 to 7. */
export function badness(situation: Situation): number {
  const { rule, severity, host, user, remote, process, blocked } = situation
  let sum = rule.malice + (severity - rule.severity) * 0.02
  sum += (host.criticality - 2) * 0.6
  if (host.zone === 'lab') sum -= 0.7
  if (remote !== null) sum += (remote.reputation - 30) * 0.02
  if (remote !== null && (remote.country === 'KP' || remote.country === 'SC')) sum += 0.5
  if (process !== null) sum += process.malice
  if (user.privileged) sum += 0.7
  if (user.roles[0] === 'service' && rule.product === 'identity') sum += 0.6
  if (blocked) sum -= 1.1
  return sum
}

export function truthOf(situation: Situation, random: Random): AlertLabel {
  if (random.chance(mistakes)) return random.pick(alertLabels)
  const sum = badness(situation) + doubt * random.normal()
  return sum >= escalateFrom ? 'Escalate' : sum >= investigateFrom ? 'Investigate' : 'Drop'
}
