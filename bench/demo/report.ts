/** The demo's report, as text: the table, and three decisions with their reasons. */
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

export function thousands(count: number): string {
  return Math.round(count).toLocaleString('en-US')
}

export interface Sitting {
  readonly name: string
  readonly votes: number
  readonly unlabelled: Score
  readonly all: Score
}

export interface Summary {
  readonly events: number
  readonly eventsPerSecond: number
  readonly decidedOnArrival: number
  readonly sittings: readonly Sitting[]
  readonly commonest: number
  readonly trainingSeconds: readonly number[]
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
    row('accuracy, never labelled', (sitting) => orDash(sitting, percent(sitting.unlabelled.accuracy))),
    row('macro recall, never labelled', (sitting) => orDash(sitting, percent(sitting.unlabelled.macroRecall))),
    row('with confidence of 90 or more', (sitting) => orDash(sitting, percent(sitting.unlabelled.sure))),
    row('  of these right', (sitting) => orDash(sitting, percent(sitting.unlabelled.sureRight))),
    row('accuracy, labelled buckets too', (sitting) => orDash(sitting, percent(sitting.all.accuracy))),
    row('macro recall, labelled buckets too', (sitting) => orDash(sitting, percent(sitting.all.macroRecall))),
  ])
  const notes =
    `All columns are about the same ${thousands(last?.all.events ?? 0)} events, from the last fifth of the stream, ` +
    `posted afresh each time;\n` +
    `${thousands(last?.unlabelled.events ?? 0)} of them are in buckets on which nobody voted up to the end. ` +
    `Always saying the commonest label\nwould be right for ${percent(summary.commonest)} of those.`
  return `${head}\n\n${body}\n\n${notes}`
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
