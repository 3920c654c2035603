/** Lists of servers in parameters: `host:port`, separated by commas; IPv6 addresses in brackets. */
import { isIP } from 'node:net'

export interface ServerAddress {
  /** A name or an address, without brackets. */
  readonly host: string
  readonly port: number
}

const PORT_MAX = 65_535

/** One server, or null for any other text. */
function parseServer(text: string, standardPort: number): ServerAddress | null {
  const [, bracketed, plain, digits] = /^(?:\[([^\]]+)\]|([^:[\]/@\s]+))(?::(\d{1,5}))?$/.exec(text) ?? []
  const port = digits === undefined ? standardPort : Number(digits)
  if (port < 1 || port > PORT_MAX || (bracketed !== undefined && isIP(bracketed) !== 6)) return null
  const host = bracketed ?? plain
  return host === undefined ? null : { host, port }
}

/** The servers of a checked list. */
export function parseServers(text: string, standardPort: number): ServerAddress[] {
  return text
    .split(',')
    .map((one) => parseServer(one.trim(), standardPort))
    .filter((one) => one !== null)
}

/** Why a text is not a list of servers, or null. */
export function misfitServers(text: string): string | null {
  const fits = text.split(',').every((one) => parseServer(one.trim(), 1) !== null)
  return fits ? null : 'must be servers as host:port, separated by commas'
}

/** The host as it is written before a port. */
export function bracketed(host: string): string {
  return isIP(host) === 6 ? `[${host}]` : host
}
