/** The events that the demo plays, each with its truth: generated, or from a file. */
import { readFileSync } from 'node:fs'
import { gunzipSync } from 'node:zlib'
import { AlertStream, alertLabels, alertPoints } from '../streams/alerts.js'
import { BadOption, type DemoOptions } from './options.js'

export interface DemoEvent {
  /** The event, as JSON. */
  readonly json: string
  /** Index of its true label. */
  readonly truth: number
}

export interface DemoStream {
  readonly title: string
  /** In time order. */
  readonly events: readonly DemoEvent[]
  /** Exactly three. */
  readonly labels: readonly string[]
  readonly points: readonly string[]
  /** What a reader of the figures should know. */
  readonly remarks: readonly string[]
}

export function generatedStream(seed: number, count: number): DemoStream {
  const stream = new AlertStream(seed, count)
  const events = Array.from({ length: count }, (): DemoEvent => {
    const { body, label } = stream.next()
    return { json: JSON.stringify(body), truth: alertLabels.indexOf(label) }
  })
  const remarks = ['The stream drifts half way: rules are renamed, tools change their meaning, new routine appears.']
  return { title: 'Generated security alerts', events, labels: alertLabels, points: alertPoints, remarks }
}

/** The value at a dot path; undefined if there is none. */
export function valueAt(value: unknown, path: string): unknown {
  let at = value
  for (const part of path.split('.')) {
    if (typeof at !== 'object' || at === null || !Object.hasOwn(at, part)) return undefined
    at = (at as Record<string, unknown>)[part]
  }
  return at
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function readLines(file: string): string[] {
  let bytes: Buffer
  try {
    bytes = readFileSync(file)
  } catch {
    throw new BadOption(`The file ${file} cannot be read.`)
  }
  try {
    if (bytes[0] === 0x1f && bytes[1] === 0x8b) bytes = gunzipSync(bytes)
  } catch {
    throw new BadOption(`The file ${file} looks gzip'd but cannot be unpacked.`)
  }
  return bytes
    .toString('utf8')
    .split('\n')
    .filter((line) => line.trim() !== '')
}

interface RawEvent {
  readonly json: string
  readonly label: string
}

function readEvent(line: string, number: number, options: DemoOptions & { kind: 'file' }): RawEvent {
  let value: unknown
  try {
    value = JSON.parse(line)
  } catch {
    throw new BadOption(`Line ${number} of ${options.file} is not JSON.`)
  }
  const inner = options.event === null ? valueAt(value, 'event') : valueAt(value, options.event)
  const event = options.event === null && !isObject(inner) ? value : inner
  if (!isObject(event)) {
    throw new BadOption(`Line ${number} of ${options.file} has no object at "${options.event ?? 'event'}".`)
  }
  const label = valueAt(value, options.label)
  if (typeof label !== 'string' && typeof label !== 'number' && typeof label !== 'boolean') {
    throw new BadOption(`Line ${number} of ${options.file} has no label at "${options.label}".`)
  }
  return { json: JSON.stringify(event), label: String(label) }
}

/** A job has exactly three labels: two are filled up, and the rarest of more than three are merged. */
export function threeLabels(counts: ReadonlyMap<string, number>): { labels: string[]; merged: string[] } {
  const common = [...counts].sort(([a, countA], [b, countB]) => countB - countA || (a < b ? -1 : 1))
  const names = common.map(([name]) => name)
  if (names.length <= 3) {
    for (const filler of ['other', 'unused', 'none']) {
      if (names.length < 3 && !names.includes(filler)) names.push(filler)
    }
    return { labels: names, merged: [] }
  }
  const kept = names.slice(0, 2)
  const rest = names.slice(2)
  // A common label may have this name already. Two labels with one name would be one label.
  return { labels: [...kept, kept.includes('other') ? 'other (merged)' : 'other'], merged: rest }
}

/** @throws BadOption if the file does not fit the options. */
export function fileStream(options: DemoOptions & { kind: 'file' }): DemoStream {
  const raw = readLines(options.file).map((line, i) => readEvent(line, i + 1, options))
  if (raw.length < 100) {
    throw new BadOption(`The file ${options.file} has ${raw.length} events; the demo needs at least 100.`)
  }
  const counts = new Map<string, number>()
  for (const { label } of raw) counts.set(label, (counts.get(label) ?? 0) + 1)
  if (counts.size < 2) {
    throw new BadOption(`All events of ${options.file} have the same label; there is nothing to learn.`)
  }
  const { labels, merged } = threeLabels(counts)
  const index = new Map(labels.map((name, i) => [name, i]))
  const events = raw.map(({ json, label }) => {
    return { json, truth: merged.includes(label) ? 2 : (index.get(label) ?? 2) }
  })
  for (const point of options.points) {
    const found = raw.some(({ json }) => valueAt(JSON.parse(json), point) !== undefined)
    if (!found) throw new BadOption(`No event of ${options.file} has anything at the decision point "${point}".`)
  }
  const shares = [...counts].map(([name, count]) => `${name} ${((100 * count) / raw.length).toFixed(1)} %`)
  const remarks = [`Labels in the file: ${shares.join(', ')}.`]
  if (merged.length > 0) remarks.push(`A job has three labels, so ${merged.join(', ')} became "${labels[2]}".`)
  return { title: options.file, events, labels, points: options.points, remarks }
}
