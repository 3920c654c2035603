/**
 * Which hosts integrations may reach.
 *
 * Owns: the closed ranges of addresses (private, loopback, link-local and similar), and the exceptions of a setting.
 * Leaves out: connections (http-client.ts, line-client.ts).
 *
 * 1. The check applies to the address of the connection. The socket resolves names here, so a second resolution cannot
 *    give another answer.
 * 2. An IPv6 address that contains an IPv4 address (mapped, compatible, NAT64, 6to4) is judged by that address too
 *    (embedded-address.ts).
 */
import { lookup as systemLookup } from 'node:dns'
import { BlockList, isIP, type LookupFunction } from 'node:net'
import { embeddedIn } from './embedded-address.js'

/** The host may not be reached. The message is for people. */
export class HostRefused extends Error {}

const closed4: readonly (readonly [string, number])[] = [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 4],
  ['240.0.0.0', 4],
]
/** Closed ranges in 2000::/3; everything outside 2000::/3 is closed too. */
const closed6: readonly (readonly [string, number])[] = [
  ['2001::', 23],
  ['2001:db8::', 32],
  ['3fff::', 20],
]

function listOf(ranges: readonly (readonly [string, number])[], family: 'ipv4' | 'ipv6'): BlockList {
  const list = new BlockList()
  for (const [address, prefix] of ranges) list.addSubnet(address, prefix, family)
  return list
}

const notPublic4 = listOf(closed4, 'ipv4')
const notPublic6 = listOf(closed6, 'ipv6')
const global6 = listOf([['2000::', 3]], 'ipv6')

/** True for an address of the public network. */
export function isPublic(address: string): boolean {
  return isReachable(address, (plain) => !notPublic4.check(plain, 'ipv4'))
}

/** True if the address is public, where `takes` says which IPv4 addresses are. */
function isReachable(address: string, takes: (address4: string) => boolean): boolean {
  const [plain = ''] = address.split('%')
  if (isIP(plain) === 4) return takes(plain)
  const { addresses, isTranslated } = embeddedIn(plain)
  if (!addresses.every(takes)) return false
  if (isTranslated) return addresses.length > 0
  return global6.check(plain, 'ipv6') && !notPublic6.check(plain, 'ipv6')
}

export class HostPolicy {
  readonly #names = new Set<string>()
  readonly #open = new BlockList()
  readonly #resolve: typeof systemLookup

  /**
   * `allowed` lists names, addresses and CIDR ranges that may be reached although they are not public. Tests pass their
   * own `resolve`. @throws Error for an entry that is none of these.
   */
  constructor(allowed: readonly string[], resolve: typeof systemLookup = systemLookup) {
    this.#resolve = resolve
    for (const entry of allowed) this.#allow(entry.toLowerCase())
  }

  #allow(entry: string): void {
    const [address = '', prefix] = entry.split('/')
    const family = isIP(address) === 4 ? 'ipv4' : 'ipv6'
    if (isIP(address) === 0) {
      if (prefix !== undefined || !/^[a-z0-9_.-]+$/.test(entry))
        throw new Error(`${entry} is not a host, address or CIDR range`)
      this.#names.add(entry)
    } else if (prefix === undefined) this.#open.addAddress(address, family)
    else if (!/^\d{1,3}$/.test(prefix) || Number(prefix) > (family === 'ipv4' ? 32 : 128))
      throw new Error(`${entry} is not a CIDR range`)
    else this.#open.addSubnet(address, Number(prefix), family)
  }

  /**
   * Checks a host before it is resolved. @throws HostRefused for an empty name, or an address that may not be reached.
   */
  check(host: string): void {
    const name = host
      .toLowerCase()
      .replace(/^\[|\]$/g, '')
      .replace(/\.$/, '')
    if (name === '') throw new HostRefused('no host is named')
    if (isIP(name) !== 0 && !this.#mayReach(name)) throw this.#refused(name)
  }

  /** Resolves a name for a socket, to the addresses that may be reached. */
  readonly lookup: LookupFunction = (hostname, options, callback) => {
    this.#resolve(hostname, { ...options, all: true }, (error, found) => {
      if (error !== null) return callback(error, [], 0)
      const named = this.#names.has(hostname.toLowerCase().replace(/\.$/, ''))
      const reachable = found.filter(({ address }) => named || this.#mayReach(address))
      const [first] = reachable
      if (first === undefined) return callback(this.#refused(hostname), [], 0)
      if (options.all === true) callback(null, reachable)
      else callback(null, first.address, first.family)
    })
  }

  /**
   * The addresses of a host that may be reached, for clients that create their own sockets. Rejects with HostRefused,
   * or with the error of the name resolution.
   */
  async addressesOf(host: string): Promise<string[]> {
    this.check(host)
    const name = host.replace(/^\[|\]$/g, '')
    if (isIP(name) !== 0) return [name]
    return await new Promise((resolve, reject) => {
      this.lookup(name, { all: true }, (error, found) => {
        if (error !== null) reject(error)
        else resolve((found as { address: string }[]).map(({ address }) => address))
      })
    })
  }

  #mayReach(address: string): boolean {
    const [plain = ''] = address.split('%')
    if (this.#open.check(plain, isIP(plain) === 4 ? 'ipv4' : 'ipv6')) return true
    return isReachable(plain, (address4) => isPublic(address4) || this.#open.check(address4, 'ipv4'))
  }

  #refused(host: string): HostRefused {
    return new HostRefused(
      `${host} is a private, local or reserved address, and SERVICE_PRIVATE_HOSTS does not name it`,
    )
  }
}
