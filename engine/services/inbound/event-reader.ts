/**
 * The events of one webhook, out of its documents: which they are, their ids, and what was odd in them (S36).
 *
 * Owns: items of documents, ids by a parameter, places, findings. Leaves out: documents in a body (documents.ts), what
 * an event looks like in each format (formats/).
 *
 * 1. An item that is no object is taken as `{message}`. One that cannot be read is refused by its place, and the others
 *    are taken.
 * 2. An id with bytes that are not UTF-8 is the hash of it: in the event they are all U+FFFD.
 */
import { Refusal, type Issue } from '../../errors.js'
import type { InboundEventBody, InboundEvents, RefusedPart } from '../../api/integrations-service.js'
import { fittingId, hashedId } from '../../domain/event/client-id.js'
import type { Finding } from '../../domain/event/finding.js'
import type { BrokenDocument } from '../../domain/event/input/documents.js'
import { cutText } from '../../domain/event/input/cut-text.js'
import type { RepeatedKey } from '../../domain/event/input/repeated-key.js'
import { writeJson } from '../../domain/event/json.js'
import { documentsOf, EVENTS_MAX, objectOf, tooMany, type WebhookDocument } from './documents.js'
import { idBy } from './event-id.js'
import { Path, valuesAt } from '../../domain/event/path.js'
import { isObject, type HeaderOf, type InboundEvent, type InboundFormat, type DocumentJson } from './formats/format.js'
import { formatNamed, formatOf } from './formats/formats.js'

/** The parameters of an integration that say how webhooks are read. */
export interface ReadingSettings {
  readonly format: string
  readonly items: string
  readonly eventId: string
}

export const noSettings: ReadingSettings = { format: 'auto', items: '', eventId: '' }

type Place = readonly (string | number)[]

const EXAMPLE_CHARS = 200
const REPLACED = '\ufffd'

export class InboundReader {
  readonly #settings: ReadingSettings
  readonly #header: HeaderOf
  readonly #events: InboundEventBody[] = []
  readonly #refused: RefusedPart[] = []
  readonly #repeated: RepeatedKey[] = []
  #oddBytes = 0
  #oddItems = 0
  #oddItem = ''
  #givesUp: boolean

  constructor(settings: ReadingSettings, header: HeaderOf) {
    this.#settings = settings
    this.#header = header
    this.#givesUp = formatNamed(settings.format)?.givesUp === true
  }

  /** A format of the webhook is one whose senders give up after 429. */
  get givesUp(): boolean {
    return this.#givesUp
  }

  /** @throws Refusal body_too_large. */
  take({ place, value, exact, repeated = null }: WebhookDocument): void {
    if (repeated !== null) this.#repeated.push(repeated)
    const document = objectOf(value)
    const items = this.#itemsOf(document)
    if (items === null) {
      const { items: name } = this.#settings
      return this.refuse([place, name], `${name}: must be a list: the parameter webhook_items names it`, value)
    }
    if (!isObject(value) && typeof value !== 'string') this.#noteItem(value)
    // The same with a character for each byte: only where ids may need it.
    let twin: { readonly document: DocumentJson; readonly items: readonly unknown[] } | null = null
    for (const [n, item] of items.entries()) {
      if (this.#events.length >= EVENTS_MAX) throw tooMany()
      if (!isObject(item) && typeof item !== 'string') this.#noteItem(item)
      const event = this.#eventOf(item, document)
      if (exact !== null) this.#oddBytes++
      if (exact !== null && event.id?.includes(REPLACED) === true) {
        if (twin === null) {
          const whole = objectOf(exact())
          twin = { document: whole, items: this.#itemsOf(whole) ?? [] }
        }
        event.id = hashedId(this.#eventOf(twin.items[n], twin.document).id ?? event.id)
      }
      const at = items.length === 1 && items[0] === document ? [place] : [place, n]
      this.#events.push(bodyOf(event, at))
    }
  }

  /** Takes the documents in a field of a document; a text of another kind is one document. */
  takeContent({ place, repeated = null }: WebhookDocument, content: unknown): void {
    if (repeated !== null) this.#repeated.push(repeated)
    if (typeof content !== 'string') return this.take({ place, value: content ?? null, exact: null })
    try {
      const { documents, broken } = documentsOf(Buffer.from(content))
      for (const document of documents) this.take({ ...document, place })
      for (const one of broken) this.refuse([place], one.problem, one.example)
    } catch (error) {
      if (!(error instanceof Refusal) || error.code !== 'invalid_json') throw error
      this.take({ place, value: { message: content }, exact: null })
    }
  }

  refuse(place: Place, message: string, value: unknown): void {
    const text = typeof value === 'string' ? value : writeJson(value)
    this.#refused.push({ place, message, example: cutText(text, EXAMPLE_CHARS) })
  }

  /** All that was found. @throws Refusal invalid_body if there are only refused parts. */
  end(broken: readonly BrokenDocument[], oddPlace: string | null): InboundEvents {
    for (const { number, line, problem, example } of broken)
      this.#refused.push({ place: [number - 1], message: `line ${line}: ${problem}`, example })
    const [first] = this.#refused
    if (this.#events.length === 0 && first !== undefined) {
      const issues: Issue[] = this.#refused
        .slice(0, ISSUES_MAX)
        .map(({ place, message }) => ({ loc: ['body', ...place], msg: message, type: 'value_error' }))
      throw new Refusal('invalid_body', first.message, { issues })
    }
    const findings: Finding[] = [...this.#repeated]
    if (oddPlace !== null && this.#oddBytes > 0)
      findings.push({ kind: 'invalid_utf8', field: '', count: this.#oddBytes, example: oddPlace })
    if (this.#oddItems > 0)
      findings.push({ kind: 'odd_item', field: '', count: this.#oddItems, example: this.#oddItem })
    return { events: this.#events, refused: this.#refused, findings }
  }

  /** The items of a document that are events; null if the parameter names no list. */
  #itemsOf(document: DocumentJson): readonly unknown[] | null {
    const { items } = this.#settings
    if (items === '') return this.#formatOf(document).items?.(document) ?? [document]
    const path = new Path(items)
    const some = valuesAt(document, path)
    const found = some.length > 0 ? some : valuesAt(document, path, true)
    // Some programs write a list of one as its item.
    return found.some((value) => Array.isArray(value) || isObject(value)) ? found.flat() : null
  }

  #eventOf(given: unknown, document: DocumentJson): MadeEvent {
    const { items, eventId } = this.#settings
    const item = objectOf(given)
    const format = this.#formatOf(items === '' ? document : item)
    const event = format.event(item, document, this.#header)
    const id = eventId === '' ? event.id : (idBy(eventId, event.body) ?? idBy(eventId, item))
    return { ...event, id: id === null ? null : fittingId(id), format }
  }

  #formatOf(document: DocumentJson): InboundFormat {
    const format = formatOf(this.#settings.format, document, this.#header)
    this.#givesUp ||= format.givesUp === true
    return format
  }

  #noteItem(item: unknown): void {
    this.#oddItems++
    if (this.#oddItems === 1) this.#oddItem = cutText(writeJson(item), EXAMPLE_CHARS)
  }
}

const ISSUES_MAX = 100

interface MadeEvent extends Omit<InboundEvent, 'id'> {
  id: string | null
  readonly format: InboundFormat
}

function bodyOf({ id, body, title, severity, format }: MadeEvent, place: Place): InboundEventBody {
  const event = {
    raw_body: body,
    ...(title === undefined ? {} : { title }),
    ...(severity === undefined ? {} : { severity }),
  }
  return { id, bytes: Buffer.from(writeJson(event)), place, hasVersions: format.hasVersions === true }
}
