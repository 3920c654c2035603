/**
 * Syslog: each decision as a message of RFC 5424, over TCP (RFC 6587) or TLS (RFC 5425), framed by octet counting. The
 * text is CEF, JSON or a sentence.
 */
import { hostname } from 'node:os'
import type { IntegrationKind } from '../../resource/registry/integration-registry.js'
import { isoMicros } from '../../clock.js'
import type { Outcome, OpenedParameters, Outgoing, OutsideKind, Sink, Tools } from '../contract.js'
import { HostRefused } from '../http/host-policy.js'
import { textAt, timeoutMs, tlsParameters } from '../http/http-kind.js'
import { LineClient, LineFailure } from '../http/line-client.js'
import { ruleParameters } from '../rule.js'
import { fillWithin, longestWithin } from '../template.js'
import { cutText, cutUtf8 } from '../../domain/event/input/cut-text.js'
import { cefOf, severityOf } from './cef.js'

const BATCH_MAX = 200
const FACILITIES: Readonly<Record<string, number>> = {
  user: 1,
  daemon: 3,
  auth: 4,
  authpriv: 10,
  audit: 13,
  local0: 16,
  local1: 17,
  local2: 18,
  local3: 19,
  local4: 20,
  local5: 21,
  local6: 22,
  local7: 23,
}
/** The enterprise number for documentation (RFC 5612). */
const STRUCTURE = 'decision@32473'
const CEF_VERSION = '1'
/** Receivers accept at least 2 KiB, and most accept 8 KiB. Some cut longer messages, some refuse them. */
const MESSAGE_BYTES_MAX = 8_192
/** Says that the text is in UTF-8. */
const MARK = '\ufeff'
const VALUE_CHARS_MAX = 1_000

const entry: IntegrationKind = {
  id: 'syslog',
  name: 'Syslog',
  description: 'Sends each decision as a syslog message (RFC 5424) over TCP or TLS, as CEF, JSON or text.',
  builtIn: false,
  outside: true,
  takesPosts: false,
  connection: [
    { name: 'host', type: 'string', required: true, description: 'Name or address of the receiver.' },
    {
      name: 'port',
      type: 'number',
      required: true,
      minimum: 1,
      maximum: 65_535,
      description: 'Its port, usually 6514 for TLS.',
    },
    {
      name: 'protocol',
      type: 'string',
      required: false,
      allowed: ['tls', 'tcp'],
      default: 'tls',
      description: 'TLS, or TCP without encryption.',
    },
    ...tlsParameters,
  ],
  roles: [
    {
      role: 'post_decision',
      parameters: [
        {
          name: 'format',
          type: 'string',
          required: false,
          allowed: ['cef', 'json', 'text'],
          default: 'cef',
          description: 'The format of the message text.',
        },
        {
          name: 'facility',
          type: 'string',
          required: false,
          allowed: Object.keys(FACILITIES),
          default: 'local0',
          description: 'The syslog facility.',
        },
        {
          name: 'text',
          type: 'string',
          required: false,
          description: 'For format text: the message; {{path}} inserts a field of the event.',
        },
        ...ruleParameters('post_decision'),
      ],
    },
  ],
  addedTo: [],
}

const STANDARD_TEXT = '{{result_label}} ({{confidence_score}} %) for event {{event_id}} of {{job_title}}'

/** The syslog severity (0 is worst) of a CEF severity (10 is worst). */
function syslogSeverity(severity: number): number {
  return severity >= 9 ? 2 : severity >= 7 ? 3 : severity >= 4 ? 4 : 5
}

function parameter(text: string): string {
  return text.replace(/["\\\]]/g, '\\$&').replace(/[\r\n]+/g, ' ')
}

/** One message without its frame, of at most 8 KiB. `textWithin` is its text, of at most so many bytes. */
export function syslogMessage(
  { id, event, alert }: Pick<Outgoing, 'id' | 'event' | 'alert'>,
  textWithin: (bytesMax: number) => string,
  facility: string,
  host: string,
): Buffer {
  const priority = (FACILITIES[facility] ?? 16) * 8 + syslogSeverity(severityOf(event))
  const data = [
    ['id', id],
    ['job', String(event.jobId)],
    ['event', event.eventId],
    ['result', event.result],
    ['confidence', event.confidenceScore.toFixed(2)],
  ]
  const structured = `[${STRUCTURE} ${data.map(([name, value]) => `${name}="${parameter(value as string)}"`).join(' ')}]`
  const head = `<${priority}>1 ${isoMicros(event.ingestMicros)} ${host} decision-service - ${alert === undefined ? 'decision' : 'watchdog'} ${structured} `
  const bytesMax = MESSAGE_BYTES_MAX - Buffer.byteLength(head) - Buffer.byteLength(MARK)
  const text = cutUtf8(textWithin(bytesMax).replace(/[\r\n]+/g, ' '), bytesMax)
  return Buffer.from(head + MARK + text, 'utf8')
}

/** JSON of at most so many bytes: long texts and lists in it are cut, so that it stays JSON. */
function jsonWithin(document: Readonly<Record<string, unknown>>, bytesMax: number): string {
  const cut = (charsMax: number): string =>
    JSON.stringify(document, (_, value: unknown) => {
      if (typeof value === 'string') return cutText(value, charsMax)
      return Array.isArray(value) ? value.slice(0, charsMax) : value
    })
  return longestWithin(MESSAGE_BYTES_MAX, bytesMax, Buffer.byteLength, cut)[0]
}

class SyslogSink implements Sink {
  readonly batchMax = BATCH_MAX
  readonly #line: LineClient
  readonly #format: string
  readonly #facility: string
  readonly #text: string
  readonly #host =
    hostname()
      .replace(/[^\x21-\x7e]/g, '')
      .slice(0, 255) || '-'

  constructor(connection: OpenedParameters, parameters: OpenedParameters, tools: Tools) {
    this.#line = new LineClient({
      host: String(connection.host),
      port: Number(connection.port),
      tls: connection.protocol !== 'tcp',
      verifyTls: connection.verify_tls !== false,
      authorities: textAt(connection, 'ca_certificate'),
      timeoutMs: timeoutMs(connection),
      policy: tools.policy,
    })
    this.#format = textAt(parameters, 'format') ?? 'cef'
    this.#facility = textAt(parameters, 'facility') ?? 'local0'
    this.#text = textAt(parameters, 'text') ?? STANDARD_TEXT
  }

  async deliver(items: readonly Outgoing[], signal: AbortSignal): Promise<Outcome[]> {
    const frames = items.flatMap((item) => {
      const message = syslogMessage(item, (bytesMax) => this.#textOf(item, bytesMax), this.#facility, this.#host)
      return [Buffer.from(`${message.length} `, 'latin1'), message]
    })
    try {
      await this.#line.write(Buffer.concat(frames), signal)
      return items.map(() => ({ outcome: 'delivered' }))
    } catch (error) {
      if (
        !(
          error instanceof LineFailure ||
          error instanceof HostRefused ||
          (error as NodeJS.ErrnoException).code !== undefined
        )
      )
        throw error
      return items.map(() => ({ outcome: 'failed', reason: (error as Error).message, suspect: false }))
    }
  }

  async close(): Promise<void> {
    this.#line.close()
  }

  #textOf({ event, alert }: Outgoing, bytesMax: number): string {
    if (this.#format === 'text') return fillWithin(this.#text, event, bytesMax, { size: Buffer.byteLength })
    if (this.#format === 'json') return jsonWithin(event.document, bytesMax)
    const what = alert === undefined ? 'decision' : 'watchdog'
    const line = (charsMax: number): string => cefOf(event, CEF_VERSION, what, charsMax)
    return longestWithin(VALUE_CHARS_MAX, bytesMax, Buffer.byteLength, line)[0]
  }
}

export const syslog: OutsideKind = {
  entry,
  sendsAlerts: true,
  openSink: (_role, connection, parameters, tools) => new SyslogSink(connection, parameters, tools),
}
