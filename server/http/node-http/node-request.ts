/** A request of `node:http` as uWebSockets.js gives it: names in lower case, values as UTF-8, nothing joined. */
import type { IncomingMessage } from 'node:http'
import type { HttpRequest } from '../library.js'

const nameTexts = new WeakMap<Uint8Array, string>()

/** A header name as text; names as bytes are few and kept for good. */
export function nameText(name: string | Uint8Array): string {
  if (typeof name === 'string') return name
  let text = nameTexts.get(name)
  if (text === undefined) nameTexts.set(name, (text = Buffer.from(name).toString('latin1')))
  return text
}

/** Node.js reads each byte as a character. */
function decoded(value: string): string {
  for (let i = 0; i < value.length; i++)
    if (value.charCodeAt(i) > 0x7f) return Buffer.from(value, 'latin1').toString('utf8')
  return value
}

export class NodeRequest implements HttpRequest {
  readonly #raw: readonly string[]
  readonly #method: string
  readonly #url: string
  readonly #query: number

  constructor({ rawHeaders, method = '', url = '' }: IncomingMessage) {
    this.#raw = rawHeaders
    this.#method = method
    this.#url = url
    this.#query = url.indexOf('?')
  }

  getMethod(): string {
    return this.#method.toLowerCase()
  }

  getUrl(): string {
    return this.#query < 0 ? this.#url : this.#url.slice(0, this.#query)
  }

  getQuery(): string | null {
    return this.#query < 0 ? null : this.#url.slice(this.#query + 1)
  }

  getHeader(name: string | Uint8Array): string {
    const wanted = nameText(name)
    const raw = this.#raw
    for (let i = 0; i < raw.length; i += 2) {
      const given = raw[i]!
      if (given.length === wanted.length && given.toLowerCase() === wanted) return decoded(raw[i + 1]!)
    }
    return ''
  }

  forEach(take: (name: string, value: string) => void): void {
    const raw = this.#raw
    for (let i = 0; i < raw.length; i += 2) take(raw[i]!.toLowerCase(), decoded(raw[i + 1]!))
  }
}
