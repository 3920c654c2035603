/**
 * The headers of the request that is being handled, and whether they are unambiguous.
 *
 * Owns: one pass over the headers, the headers that must be single, the framing of the body (RFC 9112, 6). Leaves out:
 * what uWebSockets.js refuses before its handler: no Host, an invalid Content-Length, both framings at once.
 *
 * 1. Handlers run one after another, so one list holds the headers of the current request. It is valid until the
 *    handler returns.
 * 2. uWebSockets.js takes the first of repeated headers. A proxy in front may take the last one, and would then see
 *    other requests on the connection than the service. So a request with such headers is refused.
 */
import { charsetName } from '../../../engine/index.js'
import type { HttpRequest } from '../native.js'

/** Why a request is refused before it has a route. */
export interface HeadFault {
  readonly status: number
  readonly message: string
}

/** Headers that may occur once (RFC 9110, 5.3), among those that clients send. */
const single = new Set([
  'authorization',
  'content-length',
  'content-type',
  'from',
  'host',
  'if-modified-since',
  'if-range',
  'if-unmodified-since',
  'max-forwards',
  'proxy-authorization',
  'referer',
  'transfer-encoding',
  'user-agent',
])
/** The end of the name of each header that carries a key. */
const KEY_SUFFIX = '-api-key'

const names: string[] = []
const values: string[] = []
let count = 0
let repeated = ''
/** Where transfer-encoding is, or -1. */
let coding = -1

function isSingle(name: string): boolean {
  return single.has(name) || name.endsWith(KEY_SUFFIX)
}

/** One function for all requests, because it is called for each header. */
function take(name: string, value: string): void {
  for (let i = 0; i < count; i++) if (names[i] === name && isSingle(name)) repeated = name
  names[count] = name
  values[count++] = value
}

/** The value of a header of the current request, or ''; the name in lower case. */
export function headerOf(name: string): string {
  const at = indexOf(name)
  return at < 0 ? '' : values[at]!
}

/** What a body may be in, besides as it is. It is told by its first bytes (body.ts), not by the header. */
const readCodings: ReadonlySet<string> = new Set(['gzip', 'x-gzip', 'identity'])

/** The coding of the current request's body where it is not one that is read; else ''. */
export function unreadCoding(): string {
  const coding = headerOf('content-encoding').trim().toLowerCase()
  return coding === '' || readCodings.has(coding) ? '' : coding
}

let lastType = ''
let lastCharset = ''

/** The charset of the current request's body, as charsetName gives it; '' for UTF-8, or none that is said. */
export function bodyCharset(): string {
  const type = headerOf('content-type')
  if (type === lastType) return lastCharset
  lastType = type
  lastCharset = charsetName(/;\s*charset\s*=\s*("[^"]*"|[^;\s]*)/i.exec(type)?.[1] ?? '')
  return lastCharset
}

/** The headers of the current request whose names pass, by name in lower case; the first of repeated ones. */
export function headersWhere(passes: (name: string) => boolean): Map<string, string> {
  const found = new Map<string, string>()
  for (let i = count - 1; i >= 0; i--) if (passes(names[i]!)) found.set(names[i]!, values[i]!)
  return found
}

function indexOf(name: string): number {
  for (let i = 0; i < count; i++) if (names[i] === name) return i
  return -1
}

/** Reads the headers. Returns what is wrong with them, or null. */
export function readHead(request: HttpRequest): HeadFault | null {
  count = 0
  repeated = ''
  request.forEach(take)
  if (repeated !== '') return { status: 400, message: `the header ${repeated} occurs more than once` }
  coding = indexOf('transfer-encoding')
  const length = indexOf('content-length')
  if (coding >= 0) return codingFault(values[coding]!, length >= 0)
  if (length >= 0 && values[length] === '') return { status: 400, message: 'the header content-length is empty' }
  return null
}

/** True if the body of the current request comes in chunks. */
export function isChunked(): boolean {
  return coding >= 0
}

function codingFault(value: string, hasLength: boolean): HeadFault | null {
  const codings = value.toLowerCase()
  if (hasLength) return { status: 400, message: 'the request has both transfer-encoding and content-length' }
  if (codings === 'chunked') return null
  if (/,[ \t]*chunked$/.test(codings))
    return { status: 501, message: 'the only transfer coding that is supported is chunked' }
  return { status: 400, message: 'transfer-encoding must end with chunked' }
}
