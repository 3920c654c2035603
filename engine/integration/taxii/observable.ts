/**
 * Observables: addresses, names, links and hashes in one spelling each, so that what is the same is equal.
 *
 * Owns: the spelling, and what kind of observable a value of an event is. Leaves out: patterns (stix-pattern.ts), which are known
 * (indicator-index.ts).
 */
import { isIP } from 'node:net'

export type ObservableType = 'ipv4-addr' | 'ipv6-addr' | 'domain-name' | 'url' | 'email-addr' | 'file'

/** A network: as many leading bits of an address as count. */
export interface Network {
  readonly bits: bigint
  readonly length: number
}

const CHARS_MAX = 2_048
const hexLengths: ReadonlySet<number> = new Set([32, 40, 56, 64, 96, 128])
const domain = /^(?=.{4,253}$)([a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?\.)+[a-z][a-z0-9-]{0,61}[a-z0-9]$/

/** The name of an observable in the index. */
export function keyOf(type: ObservableType, value: string): string {
  return `${type}|${value}`
}

/** A domain in small letters, without a dot at the end. */
export function plainDomain(text: string): string {
  return text.toLowerCase().replace(/\.$/, '')
}

/** A link with scheme and host in small letters, as URL parsers spell it; what is none stays as it is. */
export function plainUrl(text: string): string {
  return URL.canParse(text) ? new URL(text).href : text
}

/** The 32 or 128 bits of an address, or null. */
export function bitsOf(address: string): bigint | null {
  const version = isIP(address)
  if (version === 4) return address.split('.').reduce((bits, part) => (bits << 8n) | BigInt(part), 0n)
  if (version !== 6) return null
  const plain = (address.split('%')[0] as string).replace(/(\d+)\.(\d+)\.(\d+)\.(\d+)$/, (_, a, b, c, d) => {
    const word = (high: string, low: string): string => ((Number(high) << 8) | Number(low)).toString(16)
    return `${word(a, b)}:${word(c, d)}`
  })
  const [head = '', tail] = plain.split('::')
  const words = (text: string): string[] => (text === '' ? [] : text.split(':'))
  const [before, behind] = [words(head), tail === undefined ? [] : words(tail)]
  const all = [...before, ...new Array<string>(8 - before.length - behind.length).fill('0'), ...behind]
  return all.reduce((bits, word) => (bits << 16n) | BigInt(`0x${word}`), 0n)
}

/** The network that a text such as 192.0.2.0/24 or 192.0.2.1 names, or null. */
export function networkOf(text: string, addressBits: 32 | 128): Network | null {
  const [address = '', length = String(addressBits)] = text.split('/')
  if (isIP(address) !== (addressBits === 32 ? 4 : 6) || !/^\d{1,3}$/.test(length) || Number(length) > addressBits)
    return null
  const bits = bitsOf(address) as bigint
  return { bits: bits >> BigInt(addressBits - Number(length)), length: Number(length) }
}

/** What a value of an event may be, in their spelling; none where it is no observable. */
export function observablesIn(text: string): readonly (readonly [ObservableType, string])[] {
  const value = text.trim()
  if (value === '' || value.length > CHARS_MAX) return []
  const version = isIP(value)
  // An IPv4 address in IPv6 clothes is one.
  const mapped = version === 6 ? /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(value)?.[1] : undefined
  if (mapped !== undefined) return [['ipv4-addr', mapped]]
  if (version !== 0) return [[version === 4 ? 'ipv4-addr' : 'ipv6-addr', value]]
  if (hexLengths.has(value.length) && /^[0-9a-f]+$/i.test(value)) return [['file', value.toLowerCase()]]
  if (/^[a-z][a-z0-9+.-]*:\/\//i.test(value)) {
    if (!URL.canParse(value)) return [['url', value]]
    return [['url', plainUrl(value)], ...observablesIn(new URL(value).hostname.replace(/^\[|\]$/g, ''))]
  }
  if (/^[^\s@]+@[^\s@]+$/.test(value)) return [['email-addr', value.toLowerCase()]]
  const name = plainDomain(value)
  return domain.test(name) ? [['domain-name', name]] : []
}
