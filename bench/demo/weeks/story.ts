/** The eight weeks as a page of text, for readers who have never heard of a safety contract. */
import { percent, table, thousands } from '../report.js'
import type { WeekFigures } from './figures.js'
import { WEEKS, type ShopResult, type ShopTerms } from './shop.js'
import type { WeeksStream } from './streams.js'

const WIDTH = 110

/** The text in lines of at most that many characters. */
function wrapped(text: string): string[] {
  const lines = ['']
  // A number and its sign stay together.
  for (const word of text.replaceAll(' %', '\u00a0%').split(' ')) {
    const line = lines.at(-1) as string
    if (line === '') lines[lines.length - 1] = word
    else if (line.length + 1 + word.length <= WIDTH) lines[lines.length - 1] = `${line} ${word}`
    else lines.push(word)
  }
  return lines.map((line) => line.replaceAll('\u00a0', ' '))
}

function indented(line: string): string {
  return `  ${line}`
}

type Counts = Omit<WeekFigures, 'bound'>

function sumOf(weeks: readonly WeekFigures[]): Counts {
  const sum = { ...(weeks[0] as Counts) }
  for (const week of weeks.slice(1)) for (const key of Object.keys(sum) as (keyof Counts)[]) sum[key] += week[key]
  return sum
}

function share(part: number, of: number): string {
  return of === 0 ? '–' : percent(part / of)
}

function weeksTable(weeks: readonly WeekFigures[], sum: Counts, protects: string): string {
  const columns = [...weeks, { ...sum, bound: null }]
  const row = (name: string, cell: (week: WeekFigures) => string): string[] => [name, ...columns.map(cell)]
  const head = ['', ...weeks.map((_, at) => `week ${at + 1}`), 'all']
  return table([
    head,
    row('alerts', ({ events }) => thousands(events)),
    row('settled by the job', ({ settled }) => thousands(settled)),
    row('  share of all alerts', ({ settled, events }) => share(settled, events)),
    row('clicks of people', ({ clicks }) => thousands(clicks)),
    row(`settled, but in truth ${protects}`, ({ missed }) => thousands(missed)),
    row('  of these found again when it stopped', ({ foundAgain }) => thousands(foundAgain)),
    row('  true share of what was settled', ({ missed, settled }) => share(missed, settled)),
    row('  what the service says: at most', ({ bound }) => (bound === null ? '–' : percent(bound))),
  ])
}

function besidePlainRule(sum: Counts, { settles }: WeeksStream, protects: string): string {
  return table([
    ['', 'closed', `in truth ${protects}`, `share of all ${protects}`],
    ['the contract', thousands(sum.settled), thousands(sum.missed), share(sum.missed, sum.protectedDecided)],
    [
      `closing ${settles} at a confidence of 90 and more`,
      thousands(sum.closable),
      thousands(sum.closableMissed),
      share(sum.closableMissed, sum.protectedDecided),
    ],
  ])
}

/** The result in one paragraph. */
function inShort(sum: Counts, { settles }: WeeksStream, protects: string): string {
  if (sum.settled === 0) return `In short: nothing was proved in these weeks, so the job settled nothing by itself.`
  const lost = share(sum.missed, sum.protectedDecided)
  return (
    `In short: of all ${protects} alerts, the job settled ${lost} wrongly; who closes ${settles} at a confidence of ` +
    `90 and more, without a proof, loses ${share(sum.closableMissed, sum.protectedDecided)}. The job settled ` +
    `${thousands(sum.settled)} of ${thousands(sum.events)} alerts by itself (${share(sum.settled, sum.events)}).`
  )
}

function nowText({ now }: ShopResult): string[] {
  if (now.length === 0) return []
  return [
    'What the service says at the end of the eight weeks:',
    '',
    ...now.flatMap((text) => wrapped(text).map(indented)),
    '',
  ]
}

function certificateText(certificates: ShopResult['certificates']): string {
  const last = certificates.findLast(({ state }) => state === 'open')
  if (last === undefined) return 'No gate opened in these weeks, so nothing was settled and there is no certificate.'
  // The first of the last model: that of its strictest gate.
  const opened = certificates.find(({ state, model }) => state === 'open' && model === last.model) ?? last
  return [
    `One of ${certificates.length} certificates. Each is an entry of the audit log, which nobody can change:`,
    '',
    ...[opened.statement as string, ...(opened.rates as string[])].flatMap((text) => wrapped(text).map(indented)),
    `  model ${opened.model as number}, ${opened.audits as number} audits, ${opened.failures as number} of them failed`,
  ].join('\n')
}

export function storyText(stream: WeeksStream, terms: ShopTerms, result: ShopResult): string {
  const { weeks, happenings, certificates } = result
  const sum = sumOf(weeks)
  const protects = stream.protects.join(' or ')
  const held = percent(terms.holdOut.open)
  return [
    `${WEEKS} weeks: ${stream.title}`,
    '',
    ...wrapped(inShort(sum, stream, protects)),
    '',
    besidePlainRule(sum, stream, protects),
    '',
    'Simulated are the time, which jumps six hours after each part of the stream, and the people, who answer with the',
    'truth. The service is the real one, and the demo asks it over HTTP as any client would.',
    ...wrapped(stream.remarks.join(' ')),
    '',
    ...wrapped(
      `The contract: the job may settle ${stream.settles} by itself, while it is proved, with ` +
        `${percent(1 - terms.delta)} certainty, that at most ${percent(terms.epsilon)} of what it settles is in ` +
        `truth ${protects}.`,
    ),
    ...wrapped(
      'The proof: before it is given, the job settles nothing. What people answer on alerts that it would settle ' +
        `bounds how often it is wrong. Afterwards ${held} of what it would settle still goes to people, drawn by lot ` +
        'and unmarked.',
    ),
    'A change of the world shows only in audits that come after it. So the job is stopped late, not never, and what it',
    'settled lately is looked at again.',
    '',
    weeksTable(weeks, sum, protects),
    '',
    ...wrapped(
      'While people look at all alerts there are more clicks than alerts: one audit in ten is asked of two people.',
    ),
    '',
    'What happened:',
    '',
    ...happenings.map(({ day, text }) => `  day ${String(day).padStart(2)}  ${text}`),
    '',
    ...wrapped(
      `People gave ${thousands(sum.clicks)} answers to ${thousands(sum.events)} alerts: the labels for the model, ` +
        'and all audits. What is spared grows with the weeks after the proof; the weeks before it are its price.',
    ),
    '',
    ...nowText(result),
    certificateText(certificates),
    '',
  ].join('\n')
}
