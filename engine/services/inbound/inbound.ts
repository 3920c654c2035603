/**
 * Webhooks in the form of their sender: who may send, which events are in them, and for which jobs.
 *
 * Owns: the order of the checks. Leaves out: formats (formats/), signatures (signature.ts, sns.ts), storing the events
 * (server/routes).
 *
 * 1. Where the integration has a secret for signatures or a topic of SNS, only a signed request counts, and no key is
 *    needed. Else a key is: that of the integration, or one that may send events to any job.
 * 2. Nobody learns of an integration without a key or a signature.
 * 3. Nothing in a body names a job: the integration does.
 */
import { isRefusal, Refusal } from '../../errors.js'
import type { Inbound, InboundEventBody, InboundRequest, InboundService } from '../../api/integrations-service.js'
import type { JobHandle, Principal } from '../../api/principal.js'
import { lackOf, scopesOfKey } from '../../api/scopes.js'
import type { JobSettings } from '../../domain/job/job.js'
import type { Sealer } from '../../resource/access/sealing.js'
import type { IntegrationRecord } from '../../resource/records.js'
import { openParameters } from '../../resource/registry/parameters.js'
import { documentsIn, EVENTS_MAX, objectOf } from './documents.js'
import { fitting, idBy, valueAt } from './event-id.js'
import type { HeaderOf, InboundEvent, Json } from './formats/format.js'
import { formatOf } from './formats/formats.js'
import { isSigned, SIGNATURE_HEADER } from './signature.js'
import { confirmationOf, isSnsMessage, mustBeFrom } from './sns.js'
import type { SnsCertificates } from './sns-certificates.js'

export interface InboundDeps {
  readonly resources: {
    integrations(): Iterable<IntegrationRecord>
    jobs(): Iterable<JobSettings>
    /** True for a kind whose integrations take events that are posted. */
    takesPosts(kind: string): boolean
  }
  readonly sealer: Sealer
  /** Called with the first message of SNS. */
  certificates(): SnsCertificates
  /** Calls an address. Rejects if it does not answer well. */
  fetch(url: URL): Promise<unknown>
}

/** The parameters of an integration that are about webhooks. */
interface WebhookSettings {
  readonly format: string
  readonly items: string
  readonly eventId: string
  readonly secret: string
  readonly signatureHeader: string
  readonly topic: string
}

const EVENTS: 'write:events' = 'write:events'

export class Webhooks implements InboundService {
  readonly #deps: InboundDeps
  #certificates: SnsCertificates | null = null

  constructor(deps: InboundDeps) {
    this.#deps = deps
  }

  async read(request: InboundRequest): Promise<Inbound> {
    const integration = this.#integration(request.integration)
    const settings = integration === null ? null : this.#settings(integration)
    if (integration === null || settings === null || (settings.secret === '' && settings.topic === '')) {
      const principal = withEvents(request.principal)
      if (integration === null || settings === null) throw unknown()
      if (principal.kind === 'input' && principal.name !== integration.connection.api_key) throw unknown()
      return this.#inbound(principal, integration, settings, request)
    }
    if (settings.secret !== '' && !isSigned(request.body, request.header(settings.signatureHeader), settings.secret))
      throw new Refusal('unauthorized', `the signature in ${settings.signatureHeader} is missing or wrong`)
    const principal = request.principal ?? ownerOf(integration)
    return await this.#inbound(principal, integration, settings, request)
  }

  async #inbound(
    principal: Principal,
    integration: IntegrationRecord,
    settings: WebhookSettings,
    { body, header }: InboundRequest,
  ): Promise<Inbound> {
    const documents = documentsIn(body)
    const own = settings.topic === '' ? documents : await this.#messagesOf(settings.topic, documents)
    const jobs = this.#jobsOf(integration)
    return { principal, jobs, events: eventsIn(own, settings, header).map(bodyOf) }
  }

  #integration(name: string): IntegrationRecord | null {
    const { resources } = this.#deps
    for (const one of resources.integrations())
      if ((one.title === name || String(one.id) === name) && resources.takesPosts(one.kind)) return one
    return null
  }

  #settings({ connection }: IntegrationRecord): WebhookSettings {
    let opened: ReturnType<typeof openParameters>
    try {
      opened = openParameters(connection, this.#deps.sealer)
    } catch {
      throw new Refusal('not_ready', 'the secret of this integration cannot be read: give it again')
    }
    const word = (name: string, fallback = ''): string => String(opened[name] ?? fallback)
    return {
      format: word('webhook_format', 'auto'),
      items: word('webhook_items'),
      eventId: word('webhook_event_id'),
      secret: word('webhook_secret'),
      signatureHeader: word('webhook_signature_header', SIGNATURE_HEADER).toLowerCase(),
      topic: word('sns_topic_arn'),
    }
  }

  /** @throws Refusal input_disabled. */
  #jobsOf({ id }: IntegrationRecord): readonly JobHandle[] {
    const steps = [...this.#deps.resources.jobs()].flatMap((job) =>
      job.pipeline
        .filter(({ role, integrationId }) => role === 'input' && integrationId === id)
        .map((step) => ({ job, step })),
    )
    const open = steps.filter(({ step }) => step.enabled).map(({ job }) => job)
    if (open.length > 0) return open
    const why = steps.length === 0 ? 'is the input of no job: add it to the pipeline of one' : 'is disabled in its jobs'
    throw new Refusal('input_disabled', `the integration ${why}`)
  }

  /** What is in messages of SNS. @throws Refusal unauthorized. */
  async #messagesOf(topic: string, documents: readonly Json[]): Promise<readonly Json[]> {
    const found: Json[] = []
    for (const message of documents) {
      if (!isSnsMessage(message)) throw new Refusal('unauthorized', 'the body is not a message of SNS')
      try {
        await mustBeFrom(topic, message, (this.#certificates ??= this.#deps.certificates()))
      } catch (error) {
        throw new Refusal('unauthorized', `the message of SNS is refused: ${(error as Error).message}`)
      }
      const url = confirmationOf(message)
      if (url !== null) await this.#deps.fetch(url)
      else if (message.Type === 'Notification') found.push(...contentOf(message))
    }
    return found
  }
}

/** The principal, if it may send events. @throws Refusal unauthorized, forbidden. */
function withEvents(principal: Principal | null): Principal {
  if (principal === null) throw new Refusal('unauthorized', 'a valid key is needed')
  if (!principal.scopes.has(EVENTS)) throw new Refusal('forbidden', lackOf(principal, EVENTS))
  return principal
}

/** Whose requests are counted where a signature takes the place of a key. */
function ownerOf({ connection, title }: IntegrationRecord): Principal {
  const name = typeof connection.api_key === 'string' ? connection.api_key : title
  return { kind: 'input', name, scopes: scopesOfKey.input }
}

function unknown(): Refusal {
  return new Refusal(
    'resource_not_found',
    'there is no integration of that id or title that takes events with this key',
  )
}

/** The documents in the text of a message of SNS; a text of another kind is a document `{message}`. */
function contentOf(message: Json): readonly Json[] {
  const content = String(message.Message ?? '')
  try {
    return documentsIn(Buffer.from(content))
  } catch (error) {
    if (isRefusal(error, 'invalid_json')) return [{ message: content }]
    throw error
  }
}

/** @throws Refusal invalid_body, body_too_large. */
function eventsIn(documents: readonly Json[], settings: WebhookSettings, header: HeaderOf): InboundEvent[] {
  const events: InboundEvent[] = []
  for (const document of documents) {
    for (const [n, item] of itemsOf(document, settings, header).entries()) {
      if (events.length >= EVENTS_MAX)
        throw new Refusal('body_too_large', `a webhook has at most ${EVENTS_MAX} events: send fewer at once`)
      const one = objectOf(item, n)
      const format = formatOf(settings.format, settings.items === '' ? document : one, header)
      const event = format.event(one, document, header)
      const id =
        settings.eventId === '' ? event.id : (idBy(settings.eventId, event.body) ?? idBy(settings.eventId, one))
      events.push({ ...event, id: id === null ? null : fitting(id) })
    }
  }
  return events
}

function itemsOf(document: Json, { format, items }: WebhookSettings, header: HeaderOf): readonly unknown[] {
  if (items === '') return formatOf(format, document, header).items?.(document) ?? [document]
  const list = valueAt(document, items)
  if (Array.isArray(list)) return list
  const msg = 'must be a list: the parameter webhook_items names it'
  throw new Refusal('invalid_body', `${items}: ${msg}`, { issues: [{ loc: ['body', items], msg, type: 'list_type' }] })
}

function bodyOf({ id, body, title, severity }: InboundEvent): InboundEventBody {
  const event = {
    raw_body: body,
    ...(title === undefined ? {} : { title }),
    ...(severity === undefined ? {} : { severity }),
  }
  return { id, bytes: Buffer.from(JSON.stringify(event)) }
}
