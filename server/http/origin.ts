/**
 * The address at which the client reaches the service, such as `https://soc.example`, for links in answers.
 *
 * It is the host in the request. Behind a proxy that sends `X-Forwarded-Host` and `X-Forwarded-Proto` it is the host in
 * the request to the proxy. It is only sent back to the client, so a false value harms nobody else.
 */
import type { Exchange } from './exchange.js'

/** A name or an address, and a port. */
const HOST = /^(?:[\w.-]{1,253}|\[[0-9a-f:.]{2,45}\])(?::\d{1,5})?$/i

/** The address without a trailing slash; '' if the request names no host. Call it before the handler returns. */
export function originOf(exchange: Exchange, servesTls: boolean): string {
  const host = first(exchange.header('x-forwarded-host')) || exchange.header('host')
  if (!HOST.test(host)) return ''
  const forwarded = first(exchange.header('x-forwarded-proto')).toLowerCase()
  const scheme = forwarded === 'http' || forwarded === 'https' ? forwarded : servesTls ? 'https' : 'http'
  return `${scheme}://${host}`
}

/** The value from the proxy that is nearest to the client. */
function first(list: string): string {
  return (list.split(',')[0] as string).trim()
}
