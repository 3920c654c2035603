/**
 * A vote as a message.
 *
 * Owns: its bytes, and its bounds, which are checked before it is posted. Leaves out: what a vote changes (voting.ts).
 */
import { Refusal } from '../../errors.js'
import { limits } from '../../limits.js'
import type { FeedbackInput } from '../../api/decision-service.js'
import type { Author } from '../../api/principal.js'
import { splitAuthor, withAuthor } from '../message-author.js'

/** @throws Refusal invalid_body for `indicators` that are too deep or too long to be kept with every vote. */
export function encodeFeedback(feedback: FeedbackInput, by: Author): Buffer {
  const { indicators } = feedback
  if (indicators !== undefined) {
    if (isDeeperThan(indicators, limits.eventDepthMax)) throw wrongIndicators('are nested too deep')
    if (JSON.stringify(indicators).length > limits.textCharsMax) throw wrongIndicators('are too long')
  }
  return withAuthor(by, Buffer.from(JSON.stringify(feedback), 'utf8'))
}

export function decodeFeedback(message: Buffer): { by: Author; feedback: FeedbackInput } {
  const { by, body } = splitAuthor(message)
  return { by, feedback: JSON.parse(body.toString('utf8')) as FeedbackInput }
}

/** True where objects and arrays are nested more than `levels` deep. */
export function isDeeperThan(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false
  return levels === 0 || Object.values(value).some((inner) => isDeeperThan(inner, levels - 1))
}

function wrongIndicators(what: string): Refusal {
  const issues = [{ loc: ['body', 'indicators'], msg: `Indicators ${what}`, type: 'value_error' }]
  return new Refusal('invalid_body', `body.indicators: they ${what}`, { issues })
}
