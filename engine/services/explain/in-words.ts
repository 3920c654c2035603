/**
 * An explanation in a few sentences, for people who have no time for all of it: what was decided and by whom, what it
 * hangs on, and what is like it.
 *
 * Owns: the words. Leaves out: the parts that they are about (explained-event.ts, model-part.ts).
 */
import type { Explanation, ModelExplanation, VotesShown, WithoutShown } from '../../api/explanation-service.js'

type Parts = Omit<Explanation, 'inWords'>

/** Fields that move a label by less, in percentage points, do not matter. */
const EFFECT_MIN = 0.5
/** Two fields together are told where they matter by so much more than one. */
const PAIR_TIMES = 1.25

export function inWords(parts: Parts): string[] {
  const { decision, votes, model } = parts
  if (decision.status === 'pending_inference') return ['It has no decision yet.']
  if (decision.resultLabel === '') return [sentence(decision.reason), ...votesInWords(parts)]
  const answer = `${decision.resultLabel} with a confidence of ${decision.confidenceScore}`
  const isKnown = decision.source === 'knowledge_base' && votes !== null
  return [
    isKnown ? `${answer}: ${splitOf(votes, decision.resultLabel)}.` : `${answer}: ${decision.reason}.`,
    ...(isKnown && votes.consensus === decision.resultLabel ? [] : votesInWords(parts)),
    ...(model === null ? [] : modelInWords(model, isKnown)),
    ...(decision.confidenceNote === '' ? [] : [decision.confidenceNote]),
    ...(decision.outlier ? [unlikeInWords(model)] : []),
  ]
}

/** What people say by now, where the decision does not say it. */
function votesInWords({ votes }: Parts): string[] {
  if (votes === null) return []
  const { consensus, bucketId } = votes
  if (consensus === null) return []
  const what = bucketId === null ? 'event' : 'bucket'
  return [
    consensus === 'Undecided' ? `People disagree about its ${what}.` : `People say ${consensus} of its ${what} now.`,
  ]
}

function splitOf({ split, tiedEvents, bucketId, override }: VotesShown, label: string): string {
  if (override !== null) return 'an administrator said so'
  const voted = Object.values(split).reduce((sum, count) => sum + count, tiedEvents)
  const named = split[label] ?? 0
  return bucketId === null
    ? `${named} of ${voted} analysts answered so`
    : `people answered so on ${named} of ${voted} voted events of its bucket`
}

function modelInWords({ answer, fields, pair, nearest }: ModelExplanation, isKnown: boolean): string[] {
  if (answer === null) return []
  const alone = `The model alone says ${answer.resultLabel} with ${answer.confidenceScore}.`
  const [near] = nearest
  return [
    ...(isKnown ? [alone] : []),
    hangsOn(fields[0] ?? null, pair, answer.resultLabel),
    ...(near === undefined
      ? []
      : [`The nearest labelled event, ${near.eventId}, is ${near.resultLabel} (likeness ${near.likeness}).`]),
  ]
}

function hangsOn(most: WithoutShown | null, pair: WithoutShown | null, label: string): string {
  const isPair =
    pair !== null && (pair.resultLabel !== label || pair.effect > PAIR_TIMES * Math.max(EFFECT_MIN, most?.effect ?? 0))
  const without = most !== null && most.resultLabel !== label ? most : isPair ? pair : most
  if (without === null || (without.resultLabel === label && without.effect < EFFECT_MIN))
    return 'No single field drives it: without any one of them the answer is about the same.'
  const named = without.fields.map(({ field, value }) => `${field} = ${JSON.stringify(value)}`).join(' and ')
  if (without.resultLabel === '') return `Without ${named} there would be no decision.`
  const still = without.resultLabel === label ? 'still be' : 'be'
  return `Without ${named} it would ${still} ${without.resultLabel} with ${without.confidenceScore}.`
}

function unlikeInWords(model: ModelExplanation | null): string {
  const [most] = model?.unlike ?? []
  if (most === undefined) return 'It is unlike all that was labelled: look at it yourself.'
  const { field, value, known } = most
  const what = value === null ? `that it has no ${field}` : `${field} = ${JSON.stringify(value)}`
  return `Most unlike what was labelled is ${what} (the nearest has ${JSON.stringify(known)}): look at it yourself.`
}

function sentence(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}.`
}
