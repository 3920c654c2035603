/** The contract of webhooks: requests that senders make in their own form, for an integration. */
import type { JobHandle, Principal } from './principal.js'

/** A request as it came. */
export interface InboundRequest {
  /** The id or the title of an integration. */
  readonly integration: string
  /** The owner of the key in the request; null without a valid one. */
  readonly principal: Principal | null
  readonly body: Uint8Array
  /** A header by its name in lower case, or ''. */
  header(name: string): string
}

/** One event of a webhook. */
export interface InboundEventBody {
  /** Null: the service makes one. */
  readonly id: string | null
  /** The body as in a `POST` of the event: `raw_body`, `title`, `severity`. */
  readonly bytes: Uint8Array
}

/** What a webhook brings. */
export interface Inbound {
  /** Who sent it: the owner of the key, or of the key of the integration where a signature counts instead. */
  readonly principal: Principal
  /** The jobs that the integration is an enabled input of. */
  readonly jobs: readonly JobHandle[]
  /** In the order of the sender. */
  readonly events: readonly InboundEventBody[]
}

export interface InboundService {
  /**
   * Checks and reads a webhook. Rejects with unauthorized, forbidden, resource_not_found, input_disabled, invalid_json,
   * invalid_body, body_too_large, event_too_deep.
   */
  read(request: InboundRequest): Promise<Inbound>
}
