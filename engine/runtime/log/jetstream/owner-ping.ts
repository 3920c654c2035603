/**
 * Whether the owner still listens. A process that died has no subscription any more, and the servers say so at once:
 * that is sooner than its lease ends.
 *
 * 1. The answer is a hint. Whoever takes over is protected by the log, not by this.
 */
import type { NatsConnection } from '@nats-io/transport-node'

const ANSWER_MS = 1_000

function subjectOf(name: string, term: string): string {
  return `${name}.owner.${term}`
}

/** Answers those who want to know, until the returned function is called. `term` names one time of being the owner. */
export function answerPings(connection: NatsConnection, name: string, term: string): () => void {
  const pings = connection.subscribe(subjectOf(name, term), { callback: (_error, message) => void message.respond() })
  return () => pings.unsubscribe()
}

/** `here`: it answers. `gone`: the servers know of nobody who listens. `unknown`: neither. */
export async function askFor(
  connection: NatsConnection,
  name: string,
  term: string,
): Promise<'here' | 'gone' | 'unknown'> {
  try {
    await connection.request(subjectOf(name, term), undefined, { timeout: ANSWER_MS })
    return 'here'
  } catch (error) {
    const { NoRespondersError, RequestError } = await import('@nats-io/transport-node')
    const isGone = error instanceof NoRespondersError || (error instanceof RequestError && error.isNoResponders())
    return isGone ? 'gone' : 'unknown'
  }
}

/** False only where the servers know of nobody who listens; true also where nothing is known. */
export async function mayBeThere(connection: NatsConnection, name: string, term: string): Promise<boolean> {
  return (await askFor(connection, name, term)) !== 'gone'
}
