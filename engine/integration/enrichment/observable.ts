/**
 * Observables (addresses, domain names, URLs, hashes) in one spelling each, so that equal observables compare equal.
 *
 * Owns: the spelling, and the type of a value in an event. Leaves out: patterns (stix-pattern.ts), the known indicators
 * (indicator-index.ts).
 */
import { isIP } from 'node:net'
import { groupsOf } from '../http/embedded-address.js'

export type ObservableType = 'ipv4-addr' | 'ipv6-addr' | 'domain-name' | 'url' | 'email-addr' | 'file'

/** A network: the leading bits of its addresses. */
export interface Network {
  readonly bits: bigint
  readonly length: number
}

const CHARS_MAX = 2_048
const hexLengths: ReadonlySet<number> = new Set([32, 40, 56, 64, 96, 128])
const domain = /^(?=.{4,253}$)([a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?\.)+[a-z][a-z0-9-]{0,61}[a-z0-9]$/

/** The key of an observable in the index. */
export function keyOf(type: ObservableType, value: string): string {
  return `${type}|${value}`
}

/** A domain in lower case, without a final dot. */
export function plainDomain(text: string): string {
  return text.toLowerCase().replace(/\.$/, '')
}

/** A URL in the spelling of URL parsers, with scheme and host in lower case; other texts stay as they are. */
export function plainUrl(text: string): string {
  return URL.canParse(text) ? new URL(text).href : text
}

/** The 32 or 128 bits of an address, or null. */
export function bitsOf(address: string): bigint | null {
  const version = isIP(address)
  if (version === 4) return address.split('.').reduce((bits, part) => (bits << 8n) | BigInt(part), 0n)
  return version === 6 ? groupsOf(address).reduce((bits, group) => (bits << 16n) | BigInt(group), 0n) : null
}

/** The network of a text such as 192.0.2.0/24 or 192.0.2.1, or null. */
export function networkOf(text: string, addressBits: 32 | 128): Network | null {
  const [address = '', length = String(addressBits)] = text.split('/')
  if (isIP(address) !== (addressBits === 32 ? 4 : 6) || !/^\d{1,3}$/.test(length) || Number(length) > addressBits)
    return null
  const bits = bitsOf(address) as bigint
  return { bits: bits >> BigInt(addressBits - Number(length)), length: Number(length) }
}

/** The observables in a value of an event; none if it is not an observable. */
export function observablesIn(text: string): readonly (readonly [ObservableType, string])[] {
  const value = text.trim()
  if (value === '' || value.length > CHARS_MAX) return []
  const version = isIP(value)
  // An IPv4-mapped IPv6 address counts as IPv4.
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
