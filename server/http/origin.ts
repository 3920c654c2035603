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

/**
 * True for a request of a page that is not of this service: its `Origin` is neither the host of the request, nor the
 * one that a proxy names, nor `publicUrl`. Schemes are not compared: a proxy may end TLS without a word.
 */
export function isForeign(exchange: Exchange, publicUrl: string): boolean {
  const origin = exchange.header('origin')
  // A page cannot set the second one: the browser says that the page and the address are the same.
  if (origin === '' || exchange.header('sec-fetch-site') === 'same-origin') return false
  if (!URL.canParse(origin)) return true
  const named = [exchange.header('host'), first(exchange.header('x-forwarded-host'))]
  const hosts = named.filter((host) => HOST.test(host)).map((host) => host.toLowerCase().replace(/:(?:80|443)$/, ''))
  if (URL.canParse(publicUrl)) hosts.push(new URL(publicUrl).host)
  return !hosts.includes(new URL(origin).host)
}

/** The value from the proxy that is nearest to the client. */
function first(list: string): string {
  return (list.split(',')[0] as string).trim()
}
