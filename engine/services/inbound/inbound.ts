/**
 * Webhooks in the form of their sender: who may send, which events are in them, and for which jobs.
 *
 * Owns: the order of the checks. Leaves out: events (event-reader.ts), formats (formats/), signatures (signature.ts,
 * sns.ts), storing the events (server/routes).
 *
 * 1. Where the integration has a secret for signatures or a topic of SNS, only a signed request counts, and no key is
 *    needed. Else a key is: that of the integration, or one that may send events to any job.
 * 2. Nobody learns of an integration without a key or a signature.
 * 3. Nothing in a body names a job: the integration does.
 */
import { isRefusal, Refusal } from '../../errors.js'
import type { Inbound, InboundEvents, InboundRequest, InboundService } from '../../api/integrations-service.js'
import type { JobHandle, Principal } from '../../api/principal.js'
import { lackOf, scopesOfKey } from '../../api/scopes.js'
import type { JobSettings } from '../../domain/job/job.js'
import type { Sealer } from '../../resource/access/sealing.js'
import type { IntegrationRecord } from '../../resource/records.js'
import { openParameters } from '../../resource/registry/parameters.js'
import { documentsOf, type WebhookDocument } from './documents.js'
import { InboundReader, noSettings, type ReadingSettings } from './event-reader.js'
import { isAlert } from './formats/alertmanager.js'
import { isObject, type DocumentJson } from './formats/format.js'
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
interface WebhookSettings extends ReadingSettings {
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

  alertsIn(body: Uint8Array, charset: string): InboundEvents {
    const { documents, broken, oddPlace } = documentsOf(body, charset)
    const reader = new InboundReader({ ...noSettings, format: 'alertmanager' }, () => '')
    for (const document of documents) {
      const { value, place } = document
      const isOfAlerts = isObject(value) && (Array.isArray(value.alerts) || isAlert(value))
      if (isOfAlerts) reader.take(document)
      else reader.refuse([place], 'alerts: Field required', value)
    }
    return reader.end(broken, oddPlace)
  }

  async #inbound(
    principal: Principal,
    integration: IntegrationRecord,
    settings: WebhookSettings,
    { body, charset, header }: InboundRequest,
  ): Promise<Inbound> {
    const { documents, broken, oddPlace } = documentsOf(body, charset)
    const jobs = this.#jobsOf(integration)
    const reader = new InboundReader(settings, header)
    if (settings.topic !== '') await this.#takeMessages(settings.topic, documents, reader)
    else for (const document of documents) reader.take(document)
    const { title } = integration
    return { principal, title, jobs, ...reader.end(broken, oddPlace), givesUp: reader.givesUp }
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

  /** Takes what is in messages of SNS. @throws Refusal unauthorized if none is of the topic. */
  async #takeMessages(topic: string, documents: readonly WebhookDocument[], reader: InboundReader): Promise<void> {
    let refusal: Refusal | null = null
    let isFrom = false
    for (const document of documents) {
      const { place, value: message } = document
      try {
        if (!isSnsMessage(message)) throw new Refusal('unauthorized', 'the body is not a message of SNS')
        await this.#mustBeFrom(topic, message)
      } catch (error) {
        if (!isRefusal(error)) throw error
        refusal ??= error
        reader.refuse([place], error.message, message)
        continue
      }
      isFrom = true
      const url = confirmationOf(message)
      if (url !== null) await this.#deps.fetch(url)
      else if (message.Type === 'Notification') reader.takeContent(document, message.Message)
    }
    if (!isFrom && refusal !== null) throw refusal
  }

  async #mustBeFrom(topic: string, message: DocumentJson): Promise<void> {
    try {
      await mustBeFrom(topic, message, (this.#certificates ??= this.#deps.certificates()))
    } catch (error) {
      throw new Refusal('unauthorized', `the message of SNS is refused: ${(error as Error).message}`)
    }
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
