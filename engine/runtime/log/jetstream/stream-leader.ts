/**
 * Whether the server that tells of a stream surely leads it.
 *
 * 1. A server that was cut off believes that it leads a stream, for up to ten seconds. It does not know what another
 *    one has stored meanwhile. A leader that has just heard of another copy was the leader a moment ago.
 */
import type { StreamInfo } from '@nats-io/jetstream'
import { LogUnavailable } from '../turn-log.js'

/** Milliseconds since a leader heard of a copy: they talk every second. */
const HEARD_MS = 2_500

type Told = Pick<StreamInfo, 'cluster'> & { readonly config: Pick<StreamInfo['config'], 'name' | 'num_replicas'> }

/** What a server tells of a stream. @throws LogUnavailable where most copies of it have not been heard of lately. */
export function mustLead<Info extends Told>(info: Info): Info {
  const { name, num_replicas: copies } = info.config
  const heard = (info.cluster?.replicas ?? []).filter(
    ({ active, offline }) => offline !== true && active < HEARD_MS * 1e6,
  ).length
  // The leader counts itself.
  if (heard + 1 <= copies / 2) throw new LogUnavailable(`the leader of ${name} has not heard of other copies lately`)
  return info
}
