/**
 * STIX patterns (STIX 2.1, section 9) of the simple kind: one observable equals one of some values.
 *
 * Supported are comparisons with `=`, `IN` and, for addresses, `ISSUBSET`, joined by OR. They may compare addresses,
 * domain names, URLs, mail addresses and hashes of files. Any other operator or object makes the whole pattern
 * unsupported, because a part of a pattern has another meaning than the whole.
 */
import { keyOf, networkOf, plainDomain, plainUrl, type Network, type ObservableType } from '../enrichment/observable.js'

/** What a pattern matches: observables by key, and networks. */
export interface SimplePattern {
  readonly keys: readonly string[]
  readonly networks: readonly (Network & { readonly addressBits: 32 | 128 })[]
}

type Token = { readonly is: 'mark' | 'word' | 'text' | 'path'; readonly text: string }

const CHARS_MAX = 16_384
const VALUES_MAX = 1_000
const grammar =
  /\s*(?:([[\](),=])|'((?:[^'\\]|\\['\\])*)'|([a-z0-9-]+:[A-Za-z0-9_-]+(?:\.(?:[A-Za-z0-9_-]+|'[^']*'|"[^"]*"))*)|([A-Za-z]+)|$)/y

function tokensOf(pattern: string): Token[] | null {
  const tokens: Token[] = []
  grammar.lastIndex = 0
  while (grammar.lastIndex < pattern.length) {
    const found = grammar.exec(pattern)
    if (found === null) return null
    const [, mark, text, path, word] = found
    if (mark !== undefined) tokens.push({ is: 'mark', text: mark })
    else if (text !== undefined) tokens.push({ is: 'text', text: text.replaceAll(/\\(['\\])/g, '$1') })
    else if (path !== undefined) tokens.push({ is: 'path', text: path.replaceAll(/["']/g, '') })
    else if (word !== undefined) tokens.push({ is: 'word', text: word })
  }
  return tokens
}

const values: Readonly<Record<string, ObservableType>> = {
  'ipv4-addr:value': 'ipv4-addr',
  'ipv6-addr:value': 'ipv6-addr',
  'domain-name:value': 'domain-name',
  'url:value': 'url',
  'email-addr:value': 'email-addr',
}
const hashes = /^file:hashes\.(MD5|SHA-?1|SHA-?224|SHA-?256|SHA-?384|SHA-?512|SHA3-256|SHA3-512)$/i

class Reader {
  readonly keys: string[] = []
  readonly networks: (Network & { addressBits: 32 | 128 })[] = []
  readonly #tokens: readonly Token[]
  #at = 0

  constructor(tokens: readonly Token[]) {
    this.#tokens = tokens
  }

  /** Reads observations joined by OR. Returns true if that is the whole pattern. */
  pattern(): boolean {
    do if (!this.#observation()) return false
    while (this.#takes('word', 'OR'))
    return this.#at === this.#tokens.length
  }

  #observation(): boolean {
    if (!this.#takes('mark', '[')) return false
    do if (!this.#comparison()) return false
    while (this.#takes('word', 'OR'))
    return this.#takes('mark', ']')
  }

  #comparison(): boolean {
    const path = this.#next('path')
    if (path === null) return false
    const type = hashes.test(path) ? 'file' : values[path]
    if (type === undefined) return false
    if (this.#takes('mark', '=')) return this.#value(type)
    if (this.#takes('word', 'ISSUBSET')) return type.startsWith('ip') && this.#value(type)
    return this.#takes('word', 'IN') && this.#list(type)
  }

  #list(type: ObservableType): boolean {
    if (!this.#takes('mark', '(')) return false
    do if (!this.#value(type)) return false
    while (this.#takes('mark', ','))
    return this.#takes('mark', ')')
  }

  #value(type: ObservableType): boolean {
    const text = this.#next('text')
    if (text === null || text === '' || this.keys.length + this.networks.length >= VALUES_MAX) return false
    if (type === 'ipv4-addr' || type === 'ipv6-addr') {
      const addressBits = type === 'ipv4-addr' ? 32 : 128
      const network = networkOf(text, addressBits)
      if (network !== null) this.networks.push({ ...network, addressBits })
      return network !== null
    }
    const plain = type === 'domain-name' ? plainDomain(text) : type === 'url' ? plainUrl(text) : text.toLowerCase()
    this.keys.push(keyOf(type, plain))
    return true
  }

  #next(is: Token['is']): string | null {
    const token = this.#tokens[this.#at]
    if (token === undefined || token.is !== is) return null
    this.#at++
    return token.text
  }

  #takes(is: Token['is'], text: string): boolean {
    const token = this.#tokens[this.#at]
    if (token === undefined || token.is !== is || token.text !== text) return false
    this.#at++
    return true
  }
}

/** What the pattern matches; null if it is not supported. */
export function simplePattern(pattern: string): SimplePattern | null {
  const tokens = pattern.length > CHARS_MAX ? null : tokensOf(pattern)
  if (tokens === null) return null
  const reader = new Reader(tokens)
  return reader.pattern() ? { keys: reader.keys, networks: reader.networks } : null
}
