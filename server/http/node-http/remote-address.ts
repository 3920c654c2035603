/** The bytes of an address from its text. */
import { isIPv4 } from 'node:net'

/** 4 bytes for IPv4, 16 for IPv6; none for no address. The text is what Node.js gives for a connection. */
export function addressBytes(text: string | undefined): Uint8Array<ArrayBuffer> {
  if (text === undefined) return new Uint8Array(0)
  if (isIPv4(text)) return Uint8Array.from(text.split('.'), Number)
  const [address = ''] = text.split('%', 1)
  const [head = '', tail = ''] = address.split('::', 2)
  const [before, after] = [bytesOf(head), bytesOf(tail)]
  const bytes = new Uint8Array(16)
  bytes.set(before)
  bytes.set(after, 16 - after.length)
  return bytes
}

/** The bytes of groups; the last one may be an IPv4 address. */
function bytesOf(groups: string): number[] {
  if (groups === '') return []
  return groups.split(':').flatMap((group) => {
    if (group.includes('.')) return group.split('.').map(Number)
    const value = Number.parseInt(group, 16)
    return [value >> 8, value & 0xff]
  })
}
