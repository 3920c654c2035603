/**
 * How far the owner is in each log. A node that has applied as much may answer reads: whatever was acknowledged before
 * it asked is in its copies.
 *
 * Owns: asking the owner, and answering. Leaves out: what a node does with the answer (services/cluster/read-point.ts).
 *
 * 1. The answer is of the term that was asked for. Nobody answers for a term that is over.
 */
import type { NatsConnection } from '@nats-io/transport-node'

/** Sequences: of the last record that is applied, by log. */
export interface Positions {
  readonly shards: readonly number[]
  readonly catalog: number
}

function subjectOf(name: string, term: string): string {
  return `${name}.positions.${term}`
}

/** Answers until the returned function is called. `read` returns null where this node must not answer. */
export function answerPositions(
  connection: NatsConnection,
  { name, term }: { readonly name: string; readonly term: string },
  read: () => Positions | null,
): () => void {
  const queries = connection.subscribe(subjectOf(name, term), {
    callback: (_error, message) => {
      message.respond(JSON.stringify(read()))
    },
  })
  return () => queries.unsubscribe()
}

/** Null where the owner of the term does not answer in time, or must not. */
export async function askPositions(
  connection: NatsConnection,
  { name, term }: { readonly name: string; readonly term: string },
  timeout: number,
): Promise<Positions | null> {
  try {
    const answer = await connection.request(subjectOf(name, term), undefined, { timeout })
    return JSON.parse(Buffer.from(answer.data).toString('utf8')) as Positions | null
  } catch {
    return null
  }
}
