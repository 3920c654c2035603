/**
 * The client's address as text: an IPv4 address, or the /64 network of an IPv6 address, which belongs to one
 * subscriber.
 */
export function addressOf(bytes: Uint8Array): string {
  const isMapped = bytes.length === 16 && bytes.subarray(0, 10).every((byte) => byte === 0) && bytes[10] === 0xff
  if (bytes.length === 4 || isMapped) return bytes.slice(-4).join('.')
  return `${Buffer.from(bytes.subarray(0, 8))
    .toString('hex')
    .replace(/(.{4})(?=.)/g, '$1:')}::/64`
}
