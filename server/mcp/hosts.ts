/**
 * Which hosts and pages may reach the tools.
 *
 * A page of an attacker can have its own name resolve to this machine (DNS rebinding), and then speaks to the service
 * as its own origin. So a name must be known. An address cannot be rebound.
 */
import { isIP } from 'node:net'

/** What is wrong with the host or the origin of a request, as a sentence; null if they are fine. */
export function hostProblem(host: string, origin: string, allowed: readonly string[]): string | null {
  const name = hostnameOf(`http://${host}`)
  if (name === null) return 'the header Host is missing or invalid'
  const isKnown = (one: string): boolean => isLocal(one) || allowed.some((entry) => entry.toLowerCase() === one)
  if (!isKnown(name) && isIP(name) === 0)
    return `the host ${name} is not known here: add it to SERVICE_MCP_HOSTS if clients reach the service by it`
  if (origin === '') return null
  const page = hostnameOf(origin)
  if (page !== null && (page === name || isKnown(page))) return null
  return 'pages of this origin may not use the tools: add its host to SERVICE_MCP_HOSTS if they may'
}

/** The host of an address in lower case, without its port; null if it is no address. */
function hostnameOf(address: string): string | null {
  if (!URL.canParse(address)) return null
  const { hostname, username, pathname } = new URL(address)
  return hostname === '' || username !== '' || pathname !== '/' ? null : hostname.replace(/^\[|\]$/g, '').toLowerCase()
}

function isLocal(name: string): boolean {
  return name === 'localhost' || name === '127.0.0.1' || name === '::1'
}
