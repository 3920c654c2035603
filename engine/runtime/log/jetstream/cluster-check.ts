/**
 * Whether NATS servers and a stream are fit for a log: an acknowledged record must survive a power cut.
 *
 * Owns: what is required, and a sentence for each requirement that is not met.
 *
 * 1. The default of NATS acknowledges before it has flushed. `sync_interval: always` does not.
 * 2. Older servers lose messages, or flush once for each of them.
 */
import type { StreamConfig } from '@nats-io/jetstream'

/** The oldest version, and the one that is not known yet. */
const VERSION_MIN = [2, 15, 2] as const
const VERSION_BELOW = [2, 16, 0] as const
export const REPLICAS = 3
/** Milliseconds until a server has to have answered. */
const ANSWER_MS = 5_000
/** Milliseconds that the clock of a server may differ. */
const CLOCK_MS = 5_000

/** What a server says of itself at /varz. */
export interface ServerFacts {
  readonly server_id?: string
  readonly server_name?: string
  readonly version?: string
  readonly now?: string
  readonly jetstream?: {
    readonly config?: { readonly sync_always?: boolean }
    readonly meta?: { readonly name?: string }
  }
}

/** Which servers are fit, and whether all have answered. */
export interface CheckedServers {
  readonly ids: ReadonlySet<string>
  readonly isAll: boolean
}

/** The set-up of servers or of a stream loses acknowledged records. The message is for people. */
export class UnfitForLog extends Error {}

function numbersOf(version: string): number[] {
  return version.split(/[.-]/, 3).map(Number)
}

function isBefore(version: readonly number[], other: readonly number[]): boolean {
  const at = other.findIndex((number, i) => version[i] !== number)
  return at >= 0 && !((version[at] ?? Number.NaN) > (other[at] as number))
}

/** What is wrong with one server; null where nothing is. */
export function serverFault({ version = '', now, jetstream }: ServerFacts, nowMs: number): string | null {
  const numbers = numbersOf(version)
  if (isBefore(numbers, VERSION_MIN) || !isBefore(numbers, VERSION_BELOW))
    return `it is version ${version || 'unknown'}; install ${VERSION_MIN.join('.')} or a newer 2.15`
  if (jetstream?.config === undefined) return 'JetStream is off; add "jetstream { sync_interval: always }"'
  if (jetstream.config.sync_always !== true)
    return 'it acknowledges before it has flushed; add "sync_interval: always" to its jetstream block'
  const behindMs = now === undefined ? 0 : Math.abs(Date.parse(now) - nowMs)
  if (!(behindMs <= CLOCK_MS)) return `its clock differs by ${Math.round(behindMs / 1_000)} s; set both clocks`
  return null
}

/**
 * Asks each server at its monitoring address. Rejects with UnfitForLog where one is not fit, or where more than
 * `awayMax` do not answer: a node that starts again must start while a server is away.
 */
export async function checkServers(
  monitors: readonly string[],
  nowMs: () => number,
  awayMax = 0,
): Promise<CheckedServers> {
  if (monitors.length < REPLICAS)
    throw new UnfitForLog(`a log needs ${REPLICAS} NATS servers; ${monitors.length} monitoring addresses are given`)
  const answers = await Promise.allSettled(monitors.map(factsOf))
  const away = answers.flatMap((answer) => (answer.status === 'rejected' ? [answer.reason as unknown] : []))
  if (away.length > awayMax) throw away[0]
  const facts = answers.flatMap((answer) => (answer.status === 'fulfilled' ? [answer.value] : []))
  for (const { monitor, server } of facts) {
    const fault = serverFault(server, nowMs())
    if (fault !== null)
      throw new UnfitForLog(`the NATS server ${server.server_name ?? ''} at ${monitor} cannot hold a log: ${fault}`)
  }
  const clusters = new Set(facts.map(({ server }) => server.jetstream?.meta?.name ?? ''))
  if (clusters.size > 1 || clusters.has(''))
    throw new UnfitForLog(
      `the NATS servers are not one cluster: ${[...clusters].map((name) => name || 'none').join(', ')}`,
    )
  return { ids: new Set(facts.map(({ server }) => server.server_id ?? '')), isAll: away.length === 0 }
}

/**
 * A connection to a server that was not checked: the monitoring addresses are those of others. `id`: of the server that
 * is connected. @throws UnfitForLog.
 */
export function mustBeChecked({ ids, isAll }: CheckedServers, id: string | undefined): void {
  if (!isAll || ids.has(id ?? '')) return
  throw new UnfitForLog(
    'SERVICE_CLUSTER leads to a NATS server that is none of those at SERVICE_CLUSTER_MONITORS: two clusters are mixed',
  )
}

async function factsOf(monitor: string): Promise<{ readonly monitor: string; readonly server: ServerFacts }> {
  try {
    const answer = await fetch(new URL('/varz', monitor), { signal: AbortSignal.timeout(ANSWER_MS) })
    return { monitor, server: (await answer.json()) as ServerFacts }
  } catch (error) {
    throw new UnfitForLog(
      `the NATS server at ${monitor} does not say how it is set up (${reasonOf(error as Error)}); open its http port`,
    )
  }
}

/** `fetch` says why in the cause. */
function reasonOf({ message, cause }: Error): string {
  return cause instanceof Error ? cause.message : message
}

/** What is wrong with the stream of a log; null where nothing is. */
export function streamFault(config: Partial<StreamConfig>, replicas: number): string | null {
  const wanted: readonly (readonly [name: keyof StreamConfig, value: unknown, why: string])[] = [
    ['num_replicas', replicas, 'a record must survive the loss of a server'],
    ['storage', 'file', 'a record must survive a power cut'],
    ['discard', 'new', 'no record may be dropped for another'],
    ['retention', 'limits', 'records stay until they are purged'],
    ['max_msgs', -1, 'records stay until they are purged'],
    ['max_bytes', -1, 'records stay until they are purged'],
    ['max_age', 0, 'records stay until they are purged'],
  ]
  for (const [name, value, why] of wanted)
    if (config[name] !== value) return `${name} is ${String(config[name])} and must be ${String(value)}: ${why}`
  if ((config.persist_mode ?? 'default') !== 'default')
    return `persist_mode is ${config.persist_mode} and must be default: it would acknowledge before it has flushed`
  return null
}
