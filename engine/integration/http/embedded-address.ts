/**
 * IPv4 addresses inside IPv6 addresses.
 *
 * Owns: where an address may contain one. Leaves out: which addresses may be reached (host-policy.ts).
 *
 * 1. A translator (NAT64) has a prefix of 32, 40, 48, 56, 64 or 96 bits (RFC 6052). The IPv4 address follows the prefix
 *    and leaves out bits 64 to 71. The rest is zero.
 * 2. The well-known prefix has 96 bits. Of those below 64:ff9b:1::/48 (RFC 8215) the length is not known, so an address
 *    counts as every IPv4 address that it may contain, whatever follows.
 * 3. A network may have a prefix of its own, which looks like any other. An address counts as an IPv4 address too if it
 *    has the form exactly. For 96 bits the form is a prefix of 64 bits, 32 zeros and the IPv4 address.
 * 4. 0.0.0.0/8, which zeros look like, and multicast and reserved addresses are never meant: no translator sends there.
 */

/** What an IPv6 address contains. */
export interface Embedded {
  readonly addresses: readonly string[]
  /** The address stands for an IPv4 address only. */
  readonly isTranslated: boolean
}

/** The eight groups of an IPv6 address, 0 to 65,535 each. */
export function groupsOf(address: string): number[] {
  // A zone has a meaning on this machine only.
  const [plain = ''] = address.split('%')
  const withoutDots = plain.replace(/(\d+)\.(\d+)\.(\d+)\.(\d+)$/, (_, ...deps: string[]) => {
    const [a, b, c, d] = deps.map(Number) as [number, number, number, number]
    return `${(a * 256 + b).toString(16)}:${(c * 256 + d).toString(16)}`
  })
  const [head = '', tail] = withoutDots.split('::')
  const groups = (text: string): number[] =>
    text === '' ? [] : text.split(':').map((group) => Number.parseInt(group, 16))
  const [first, last] = [groups(head), tail === undefined ? [] : groups(tail)]
  return [...first, ...new Array<number>(8 - first.length - last.length).fill(0), ...last]
}

const PREFIX_BITS = [32, 40, 48, 56, 64, 96]
/** The prefixes that 64:ff9b:1::/48 has room for. */
const LOCAL_PREFIX_BITS = [48, 56, 64, 96]

/** The IPv4 addresses that an IPv6 address may contain. */
export function embeddedIn(address: string): Embedded {
  const groups = groupsOf(address)
  const [g0, g1, g2] = groups as [number, number, number]
  const bytes = groups.flatMap((group) => [group >> 8, group & 255])
  if (g0 === 0x2002) return { addresses: [bytes.slice(2, 6).join('.')], isTranslated: true }
  const last = bytes.slice(12).join('.')
  if (g0 === 0x64 && g1 === 0xff9b && isZero(bytes, 4, 12)) return { addresses: [last], isTranslated: true }
  if (g0 === 0x64 && g1 === 0xff9b && g2 === 1)
    return { addresses: after(bytes, LOCAL_PREFIX_BITS), isTranslated: true }
  const isMapped = isZero(bytes, 0, 10) && groups[5] === 0xffff
  // ::1 and :: contain no IPv4 address; both are closed.
  const isCompatible = isZero(bytes, 0, 12) && groups[6] !== 0
  if (isMapped || isCompatible) return { addresses: [last], isTranslated: true }
  const lengths = PREFIX_BITS.filter((bits) => isForm(bytes, bits))
  return { addresses: after(bytes, lengths), isTranslated: false }
}

/** The addresses after prefixes of these lengths. */
function after(bytes: readonly number[], lengths: readonly number[]): string[] {
  const found = lengths.map((bits) => {
    const start = bits / 8
    // The byte at 8 is never part of the address (RFC 6052, 2.2).
    return bits === 96 ? bytes.slice(start) : bytes.filter((_, at) => at >= start && at !== 8).slice(0, 4)
  })
  return found.filter(([first]) => first! > 0 && first! < 224).map((address) => address.join('.'))
}

/** True if an address with a prefix of this length has exactly these bytes. */
function isForm(bytes: readonly number[], bits: number): boolean {
  if (bits === 96) return isZero(bytes, 8, 12)
  return bytes[8] === 0 && isZero(bytes, bits / 8 + (bits === 32 ? 4 : 5), 16)
}

function isZero(bytes: readonly number[], start: number, end: number): boolean {
  return bytes.slice(start, end).every((byte) => byte === 0)
}
