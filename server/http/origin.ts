/**
 * The address at which a client sees the service: `https://soc.example`, for links in answers.
 *
 * The host is the one that the request names, and behind a proxy that says so (`X-Forwarded-Host`, `X-Forwarded-Proto`) the
 * one that the proxy was asked for. It goes back to whoever sent the request, and nowhere else: nothing is decided by it.
 */
import type { Exchange } from './exchange.js'

/** A name or an address, and a port. */
const HOST = /^(?:[\w.-]{1,253}|\[[0-9a-f:.]{2,45}\])(?::\d{1,5})?$/i

/** Without a slash at its end; '' where the request names no host. To be asked before the handler returns. */
export function originOf(exchange: Exchange, servesTls: boolean): string {
  const host = first(exchange.header('x-forwarded-host')) || exchange.header('host')
  if (!HOST.test(host)) return ''
  const forwarded = first(exchange.header('x-forwarded-proto')).toLowerCase()
  const scheme = forwarded === 'http' || forwarded === 'https' ? forwarded : servesTls ? 'https' : 'http'
  return `${scheme}://${host}`
}

/** What the proxy nearest to the client said. */
function first(list: string): string {
  return (list.split(',')[0] as string).trim()
}
