/** The streams of the eight weeks: generated alerts, and public alerts of a SIEM from a folder. */
import { BadFile, readEventLines } from '../../quality/set-files.js'
import { BadOption } from '../options.js'
import { generatedStream, valueAt, type DemoEvent, type DemoStream } from '../stream.js'

/** A stream with what its shop allows. */
export interface WeeksStream extends DemoStream {
  /** The label that the job may settle by itself. */
  readonly settles: string
  /** The labels that must not be missed. */
  readonly protects: readonly string[]
}

export const AIT = 'ait_alerts_a'
const aitPoints = ['rule.id', 'rule.name', 'agent.name', 'alert.count', 'detector.name']

/** In the second half attackers use a tool whose alerts were routine: about this share of all events. */
const abused = 0.06

export function generatedWeeks(seed: number, events: number): WeeksStream {
  const stream = generatedStream(seed, events)
  const [protects, settles] = stream.labels as [string, string]
  const truths = { routine: stream.labels.indexOf(settles), attack: stream.labels.indexOf(protects) }
  const half = stream.events.length >>> 1
  const rule = abusedRule(stream.events, half, truths.routine)
  return {
    ...stream,
    events: stream.events.map((event, at) =>
      at >= half && event.truth === truths.routine && ruleOf(event) === rule
        ? { ...event, truth: truths.attack }
        : event,
    ),
    settles,
    protects: [protects],
    remarks: [
      'After four weeks rules are renamed, tools change their meaning, and new routine appears.',
      'From then on attackers use a tool whose alerts were routine before ' +
        `(rule ${rule}): all of these are to be escalated.`,
    ],
  }
}

/** The rule with alerts in both halves whose routine alerts in the second are nearest to the wanted share. */
function abusedRule(events: readonly DemoEvent[], half: number, routine: number): string | undefined {
  const counts = new Map<string, [number, number]>()
  for (const [at, event] of events.entries()) {
    if (event.truth !== routine) continue
    const rule = ruleOf(event)
    const count = counts.get(rule) ?? [0, 0]
    count[at < half ? 0 : 1]++
    counts.set(rule, count)
  }
  const wanted = abused * (events.length - half)
  const [best] = [...counts]
    .filter(([, [before, after]]) => before >= after / 2)
    .sort(([, [, a]], [, [, b]]) => Math.abs(a - wanted) - Math.abs(b - wanted))
  return best?.[0]
}

function ruleOf({ json }: DemoEvent): string {
  return String(valueAt(JSON.parse(json), 'rule.id'))
}

/** @throws BadOption where the folder has no such set. */
export function aitWeeks(folder: string): WeeksStream {
  const labels = ['compromise', 'scan', 'noise']
  try {
    return {
      title: `${AIT}: alerts of five companies under attack, from Wazuh, Suricata and AMiner`,
      events: readEventLines(folder, AIT).map(({ event, label }) => {
        return { json: JSON.stringify(event), truth: labels.indexOf(label) }
      }),
      labels,
      points: aitPoints,
      settles: 'noise',
      protects: ['compromise', 'scan'],
      remarks: ['The alerts keep their order and are spread evenly over the eight weeks; in truth they took 17 days.'],
    }
  } catch (error) {
    if (error instanceof BadFile) throw new BadOption(error.message)
    throw error
  }
}
