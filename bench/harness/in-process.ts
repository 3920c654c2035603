/**
 * The service in this process, with a clock of its own: the real engine with its threads, and the real server on a free
 * port. Only the time is simulated, so that weeks pass in a minute.
 */
import { ManualClock } from '../../engine/clock.js'
import { openEngine } from '../../engine/index.js'
import { Server } from '../../server/server.js'
import { Client } from './client.js'
import { newKey } from './service.js'

export interface TimedService {
  readonly client: Client
  readonly port: number
  /** Of the service: it stands still until it is told to advance. */
  readonly clock: ManualClock
  stop(): Promise<void>
}

const DRAIN_MS = 5_000

/** `fromMicros`: what the clock shows first. */
export async function startTimedService(dataDir: string, fromMicros: number): Promise<TimedService> {
  const clock = new ManualClock(fromMicros)
  const bootstrapKey = newKey()
  const engine = await openEngine({ dataDir, name: 'service', shards: 1, threads: 1, clock, bootstrapKey })
  const server = await Server.start(engine, { host: '127.0.0.1', port: 0, emptyErrorMessage: false })
  const { port } = server
  const client = new Client(port, bootstrapKey)
  const stop = async (): Promise<void> => {
    client.close()
    await server.drain(DRAIN_MS)
    await engine.close()
    await server.close()
  }
  return { client, port, clock, stop }
}
