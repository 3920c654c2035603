/**
 * How to provoke each documented answer of an operation.
 *
 * A recipe makes a request that succeeds. Most refusals are variations of it (refusalOf). A refusal that is particular
 * to an operation (mostly 404 and 409, and 422 without a body) is in its recipe, under its status. The file of an area
 * holds the recipes of its operations by operationId. statuses.test.ts walks the OpenAPI document and requires all of
 * them.
 */
import assert from 'node:assert/strict'
import { gzipSync } from 'node:zlib'
import { limits } from '../../engine/limits.js'
import type { RouteDoc } from '../../server/http/route.js'
import type { Client } from '../support/client.js'

/** A request; the method is the operation's. */
export interface Ask {
  /** With its query string. */
  readonly path: string
  readonly body?: unknown
  /** The management key if absent. */
  readonly key?: string | null
  readonly headers?: Readonly<Record<string, string>>
}

/** Makes what the request needs, with the management key, and returns the request. */
export type Maker = (client: Client) => Ask | Promise<Ask>

export interface Recipe {
  /** Answered with the operation's 2xx, once. */
  readonly good: Maker
  /** By status: refusals that are particular to the operation, and other good answers that it has. */
  readonly refusals?: Readonly<Record<number, Maker>>
  /** Statuses that need another moment: of a limit that is reached, or of work that is still under way. */
  readonly elsewhere?: readonly number[]
}

export type Recipes = Readonly<Record<string, Recipe>>

let tooLarge: Buffer | null = null

/** Larger than any bound once it is unpacked. */
function tooLargeBody(): Buffer {
  return (tooLarge ??= gzipSync(Buffer.alloc(limits.bodyBytesMax + 1, ' ')))
}

/** A variation of the good request that is refused with the status before anything is looked up. */
export function refusalOf(status: number, route: RouteDoc, good: Ask, narrowKey: string): Ask {
  if (status === 401) return { ...good, key: null }
  if (status === 403) return { ...good, key: narrowKey }
  if (route.body !== undefined && status === 400) return { ...good, body: '{"broken' }
  if (route.body !== undefined && status === 413) return { ...good, body: tooLargeBody() }
  if (route.body !== undefined && status === 415) return { ...good, headers: { 'content-encoding': 'br' } }
  if (route.body !== undefined && status === 422) return { ...good, body: '["no object"]' }
  return assert.fail(`the recipe of ${route.operationId} (test/statuses/) does not say how it answers ${status}`)
}

let made = 0

/** A name that nothing else has. */
export function freshName(): string {
  return `fresh-${++made}`
}
