/**
 * Who sent events, and which of them came in one request (engine/actor/origin.ts), by what a request says.
 *
 * 1. Requests of one upload carry the same `X-Upload-Id`, chosen by their client: then they count as one request, also
 *    where a client sends lines again that were not answered. An upload is of one caller.
 */
import { createHash, randomInt } from 'node:crypto'
import { encodeOrigin, limits, sourceOf, type Principal } from '../../engine/index.js'
import type { Exchange } from '../http/exchange.js'

const UPLOAD_HEADER = 'x-upload-id'
const NUMBERS = 0xffffffff
/** Origins that are kept for their next events. */
const KEPT_MAX = 1_024

const alone = new WeakMap<Principal, Uint8Array>()
const ofRequests = new Map<number, { readonly principal: Principal; readonly origin: Uint8Array }>()

/** The origin of an event; `request` 0: it came alone. */
export function originOf(principal: Principal, request = 0): Uint8Array {
  const known = request === 0 ? alone.get(principal) : ofRequests.get(request)
  if (known instanceof Uint8Array) return known
  if (known?.principal === principal) return known.origin
  const origin = encodeOrigin({ request, source: sourceOf(principal) })
  if (request === 0) alone.set(principal, origin)
  else {
    if (ofRequests.size >= KEPT_MAX) ofRequests.clear()
    ofRequests.set(request, { principal, origin })
  }
  return origin
}

/** A number that no other request of these hours has. */
export function requestNumber(): number {
  return randomInt(1, NUMBERS)
}

/** The number of a request that may be one of several of an upload. Call it before the handler returns. */
export function uploadNumber(exchange: Exchange, principal: Principal): number {
  return givenUpload(exchange, principal) || requestNumber()
}

/** The number of the upload that a request is part of; 0: it names none. Call it before the handler returns. */
export function givenUpload(exchange: Exchange, { kind, name }: Principal): number {
  const upload = exchange.header(UPLOAD_HEADER)
  if (upload === '' || upload.length > limits.requestIdCharsMax) return 0
  const hash = createHash('sha256').update(`${kind}\0${name}\0${upload}`).digest()
  return (hash.readUInt32LE(0) % (NUMBERS - 1)) + 1
}
