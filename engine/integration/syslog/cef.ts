/**
 * CEF, the Common Event Format (ArcSight, revision 26): a decision as one line.
 *
 * The line is `CEF:0|vendor|product|version|class id|name|severity|extension`. Header fields escape `\` and `|`; values
 * of the extension escape `\`, `=` and line breaks.
 */
import { cutText } from '../../domain/event/input/cut-text.js'
import { textOf } from '../template.js'
import type { DecidedEvent } from '../contract.js'
import { valueAt } from '../../domain/event/path.js'

const VALUE_CHARS_MAX = 1_000

function header(text: string): string {
  return text
    .replace(/[\r\n]+/g, ' ')
    .replaceAll('\\', '\\\\')
    .replaceAll('|', '\\|')
}

function value(text: string): string {
  return text
    .replaceAll('\\', '\\\\')
    .replaceAll('=', '\\=')
    .replace(/\r\n|\r|\n/g, '\\n')
}

/** The CEF key for fields of common event schemas. */
const known: readonly (readonly [key: string, paths: readonly string[]])[] = [
  ['src', ['source.ip', 'src_ip', 'src']],
  ['spt', ['source.port', 'src_port']],
  ['dst', ['destination.ip', 'dest_ip', 'dst_ip', 'dst']],
  ['dpt', ['destination.port', 'dest_port']],
  ['shost', ['source.domain', 'host.name', 'agent.name']],
  ['duser', ['user.name', 'data.dstuser']],
  ['act', ['event.action']],
  ['msg', ['message', 'rule.description', 'title']],
]

/** Severity of an event, 0 to 10; 5 if the event has none. */
export function severityOf(event: DecidedEvent): number {
  const given = valueAt(event.document, 'severity') ?? valueAt(event.document, 'event.severity')
  const words: Readonly<Record<string, number>> = {
    informational: 1,
    info: 1,
    low: 3,
    medium: 5,
    high: 8,
    critical: 10,
  }
  if (typeof given === 'string' && given.toLowerCase() in words) return words[given.toLowerCase()] as number
  const number = Number(given)
  if (given === null || given === undefined || given === '' || !Number.isFinite(number) || number < 0) return 5
  return number <= 10 ? Math.round(number) : Math.min(10, Math.round(number / 10))
}

/**
 * The line of an event. `what` is the first part of the class id. Values of the event have at most `charsMax`
 * characters: they are cut before they are escaped, since half of an escape would swallow the next delimiter.
 */
export function cefOf(
  event: DecidedEvent,
  version: string,
  what: 'decision' | 'watchdog' = 'decision',
  charsMax: number = VALUE_CHARS_MAX,
): string {
  const fields: [string, string][] = [
    ['rt', String(Math.floor(event.ingestMicros / 1_000))],
    ['externalId', event.eventId],
    ['cat', event.jobTitle],
    ['outcome', event.resultLabel],
    ['cs1Label', 'decision'],
    ['cs1', event.result],
    ['cfp1Label', 'confidence'],
    ['cfp1', event.confidenceScore.toFixed(2)],
    ['cs2Label', 'bucket'],
    ['cs2', event.bucketId ?? ''],
    ['cn1Label', 'outlier'],
    ['cn1', event.outlier ? '1' : '0'],
  ]
  for (const [key, paths] of known) {
    const text = textOf(
      paths.map((path) => valueAt(event.document, path)).find((one) => one !== undefined && one !== null),
    )
    if (text !== '') fields.push([key, cutText(text, charsMax)])
  }
  const name =
    cutText(textOf(valueAt(event.document, 'title') ?? valueAt(event.document, 'rule.name')), charsMax) ||
    `Decision ${event.resultLabel}`
  const extension = fields
    .filter(([, text]) => text !== '')
    .map(([key, text]) => `${key}=${value(text)}`)
    .join(' ')
  const deps = ['Decision Service', 'Decision Service', version, `${what}:${event.result || 'none'}`, name]
  return `CEF:0|${deps.map(header).join('|')}|${severityOf(event)}|${extension}`
}
