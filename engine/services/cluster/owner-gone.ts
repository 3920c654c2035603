/**
 * Whether the process of the owner is surely gone: its machine refuses connections to its address. Then it answers no
 * read either, so another node may take over before its lease ends.
 *
 * 1. No answer says nothing: the network may be cut between here and there, while clients still reach the owner.
 */
import { connect } from 'node:net'

/** Milliseconds until a connection that is neither made nor refused says nothing. */
const ANSWER_MS = 500
const PORTS: Readonly<Record<string, number>> = { 'http:': 80, 'https:': 443 }

/** True only where the address refuses connections. */
export function refusesConnections(url: string, limitMs = ANSWER_MS): Promise<boolean> {
  const { hostname, port, protocol } = new URL(url)
  const host = hostname.replace(/^\[|\]$/g, '')
  return new Promise((resolve) => {
    const socket = connect({ host, port: port === '' ? (PORTS[protocol] ?? 80) : Number(port), timeout: limitMs })
    const say = (isRefused: boolean): void => {
      socket.destroy()
      resolve(isRefused)
    }
    socket.once('connect', () => say(false))
    socket.once('timeout', () => say(false))
    socket.once('error', (error: NodeJS.ErrnoException) => say(error.code === 'ECONNREFUSED'))
  })
}
