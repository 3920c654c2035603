/** The demo's report, as text: the table, and three decisions with their reasons. */
import type { Measured } from '../../engine/domain/metrics/quality.js'
import type { Reasons } from './explain.js'
import type { Score } from './exam.js'
import type { Played } from './play.js'

/** Columns of equal width; the first is aligned left, the others right. */
export function table(rows: readonly (readonly string[])[]): string {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => (row[column] ?? '').length)))
  return rows
    .map((row) => row.map((cell, i) => (i === 0 ? cell.padEnd(widths[i] ?? 0) : cell.padStart(widths[i] ?? 0))))
    .map((cells) => cells.join('   '))
    .join('\n')
}

export function percent(share: number): string {
  return `${(100 * share).toFixed(1)} %`
}

/** A figure with its interval, or how many events it lacks. */
export function measuredText({ value, low, high, events }: Measured): string {
  if (value === null || low === null || high === null) return `not enough yet (${events})`
  return `${percent(value)} (${(100 * low).toFixed(1)} to ${(100 * high).toFixed(1)})`
}

export function thousands(count: number): string {
  return Math.round(count).toLocaleString('en-US')
}

/** Whether the job has every event that was answered, and none twice. @throws Error where it has not. */
export function keptText(answered: number, stored: number): string {
  if (stored === answered) return `Nothing was lost: the ${thousands(answered)} events are stored, each once.`
  throw new Error(`${thousands(answered)} events were answered, and ${thousands(stored)} are stored`)
}

export interface Sitting {
  readonly name: string
  readonly votes: number
  readonly unlabelled: Score
  readonly all: Score
}

/** Shares of right decisions, as the service measures them without knowing the truth. */
export interface OwnFigures {
  readonly newBuckets: Measured
  readonly knownBuckets: Measured
  readonly heldOut: Measured
}

export interface Summary {
  readonly events: number
  readonly eventsPerSecond: number
  readonly decidedOnArrival: number
  readonly sittings: readonly Sitting[]
  readonly commonest: number
  readonly trainingSeconds: readonly number[]
  /** What the service's own metrics say at the end. */
  readonly own: OwnFigures
}

function orDash(sitting: Sitting, text: string): string {
  return sitting.unlabelled.decided === 0 ? '–' : text
}

export function summaryText(summary: Summary): string {
  const { sittings } = summary
  const last = sittings.at(-1)
  const row = (name: string, cell: (sitting: Sitting) => string): string[] => [name, ...sittings.map(cell)]
  const head = table([
    ['events played', thousands(summary.events)],
    ['events a second, over HTTP', thousands(summary.eventsPerSecond)],
    ['decided on arrival', percent(summary.decidedOnArrival)],
    ['training took', summary.trainingSeconds.map((seconds) => `${seconds.toFixed(1)} s`).join(', ')],
  ])
  const body = table([
    row('', ({ name }) => name),
    row('votes given so far', ({ votes }) => thousands(votes)),
    row('decided', ({ unlabelled }) => percent(unlabelled.decided)),
    row('accuracy, never labelled', (sitting) => orDash(sitting, measuredText(sitting.unlabelled.accuracy))),
    row('macro recall, never labelled', (sitting) => orDash(sitting, measuredText(sitting.unlabelled.macroRecall))),
    row('with confidence of 90 or more', (sitting) => orDash(sitting, percent(sitting.unlabelled.sure))),
    row('  of these right', (sitting) => orDash(sitting, measuredText(sitting.unlabelled.sureRight))),
    row('accuracy, labelled buckets too', (sitting) => orDash(sitting, measuredText(sitting.all.accuracy))),
    row('macro recall, labelled buckets too', (sitting) => orDash(sitting, measuredText(sitting.all.macroRecall))),
  ])
  const notes =
    `All columns are about the same ${thousands(last?.all.events ?? 0)} events, from the last fifth of the stream, ` +
    `posted afresh each time;\n` +
    `${thousands(last?.unlabelled.events ?? 0)} of them are in buckets on which nobody voted up to the end. ` +
    `Always saying the commonest label\nwould be right for ${percent(summary.commonest)} of those.`
  const own = table([
    ['new buckets, by votes given after the decision', ownText(summary.own.newBuckets)],
    ['known buckets, by votes given after the decision', ownText(summary.own.knownBuckets)],
    ['the model alone, on votes held out from its training', ownText(summary.own.heldOut)],
  ])
  const ownNotes =
    'The analyst votes on the least confident decisions first. By these votes decisions look worse than in the exam.'
  return `${head}\n\n${body}\n\n${notes}\n\nWhat the service says of itself (share right):\n\n${own}\n\n${ownNotes}`
}

function ownText(figure: Measured): string {
  return figure.value === null ? measuredText(figure) : `${measuredText(figure)}, of ${thousands(figure.events)} votes`
}

export function decisionText(decision: Played, truth: string, { without, nearest, isExact }: Reasons): string {
  const { answer } = decision
  const outlier = answer.outlier ? ', an outlier' : ''
  const lines = [`${answer.result_label}, confidence ${answer.confidence_score.toFixed(2)}${outlier} (truth: ${truth})`]
  for (const { fields, result_label: label, confidence_score: confidence } of without) {
    const then = label === '' ? 'no decision' : `${label} ${confidence.toFixed(2)}`
    const named = fields.map(({ field, value }) => `${field} = ${JSON.stringify(value)}`).join(' and ')
    lines.push(`    ${named}; without ${fields.length === 1 ? 'it' : 'both'}: ${then}`)
  }
  if (nearest !== null)
    lines.push(`    the nearest labelled event: ${nearest.result_label}, likeness ${nearest.likeness.toFixed(2)}`)
  if (!isExact) lines.push('    the model does not give this decision any more')
  return lines.join('\n')
}
