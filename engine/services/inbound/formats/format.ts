/**
 * A format of webhooks: how its events are found in a body, and what each becomes.
 *
 * Formats are pure: they read what came and touch nothing. They keep the fields of the sender, at the paths that its
 * documentation names, so that decision points are those of resource/mappings/.
 */

import { idText } from '../../../domain/event/client-id.js'
import { isJsonObject } from '../../../domain/event/json.js'

export type DocumentJson = Readonly<Record<string, unknown>>

/** The headers of a request, by name in lower case; '' for one that is not there. */
export type HeaderOf = (name: string) => string

/** One event of a webhook. */
export interface InboundEvent {
  /** The same for the same event, also when it is sent again; null: the sender says nothing of the kind. */
  readonly id: string | null
  readonly body: DocumentJson
  readonly title?: string
  readonly severity?: unknown
}

export interface InboundFormat {
  /** The value of the parameter `webhook_format`. */
  readonly name: string
  /** Its senders send an event again under its id when it changes. */
  readonly hasVersions?: true
  /** Its senders give up after any answer of 4xx, also after 429. */
  readonly givesUp?: true
  /** True for a document of this format. */
  recognizes(document: DocumentJson, header: HeaderOf): boolean
  /** The documents of its events; absent: the document is one event. */
  items?(document: DocumentJson): readonly unknown[]
  /** The event of one of these documents. `whole` is the document that it was in. */
  event(item: DocumentJson, whole: DocumentJson, header: HeaderOf): InboundEvent
}

export function isObject(value: unknown): value is DocumentJson {
  return isJsonObject(value)
}

/** The value at a path of names; undefined without one. Only own fields count. */
export function at(document: unknown, ...path: readonly string[]): unknown {
  let value = document
  for (const name of path) {
    if (!isObject(value) || !Object.hasOwn(value, name)) return undefined
    value = value[name]
  }
  return value
}

/** A text that says something, or undefined. Numbers are texts, too. */
export function text(value: unknown): string | undefined {
  return idText(value) ?? undefined
}

/** The first text, or null. */
export function firstText(...values: readonly unknown[]): string | null {
  for (const value of values) {
    const found = text(value)
    if (found !== undefined) return found
  }
  return null
}

/** The event, with a title and a severity where there are such. */
export function eventOf(body: DocumentJson, id: string | null, title?: unknown, severity?: unknown): InboundEvent {
  const name = text(title)
  return {
    id,
    body,
    ...(name === undefined ? {} : { title: name }),
    ...(severity === undefined || severity === null ? {} : { severity }),
  }
}
