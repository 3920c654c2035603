/**
 * Which keys were used on nodes that are not the owner: they tell, and the owner notes it.
 *
 * 1. Nobody acknowledges it. Where it is lost, the time of last use is older than the use.
 */
import type { NatsConnection } from '@nats-io/transport-node'

function subjectOf(name: string): string {
  return `${name}.uses`
}

/** Tells which keys and tokens were used, by their ids. */
export function tellUses(connection: NatsConnection, name: string, ids: readonly string[]): void {
  if (ids.length > 0 && !connection.isClosed()) connection.publish(subjectOf(name), JSON.stringify(ids))
}

/** Calls `heard` with the ids of used keys, until the returned function is called. */
export function hearUses(
  connection: NatsConnection,
  name: string,
  heard: (ids: readonly string[]) => void,
): () => void {
  const told = connection.subscribe(subjectOf(name), {
    callback: (_error, message) => heard(JSON.parse(Buffer.from(message.data).toString('utf8')) as string[]),
  })
  return () => told.unsubscribe()
}
