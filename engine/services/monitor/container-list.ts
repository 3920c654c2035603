/**
 * The containers: the parts of the engine as operators see them, listed on demand.
 *
 * Owns: the name, state, check and restart of each. Leaves out: what operators do with them (containers.ts).
 *
 * 1. A container is what can be restarted by itself, has a start of its own and is measured: threads, and the
 *    monitoring. The HTTP server, stores, integrations and the process are parts that are known by name.
 */
import { limits } from '../../limits.js'
import type { PeopleHours } from '../../domain/job/working-hours.js'
import { MAIN } from '../../api/components.js'
import type { ContainerName, ContainerStatus } from '../../api/container-service.js'
import type { ResourceStore } from '../../resource/resource-store.js'
import type { Trainings } from '../training/trainings.js'
import { clockTrouble, diskTrouble, stepTrouble, well, worseOf, type Trouble } from './container-troubles.js'
import type { UsageDeps } from './usage.js'

export interface ContainerListDeps extends UsageDeps {
  readonly dataDir: string
  readonly resources: ResourceStore
  readonly trainings: Trainings
  /** When people are there, where a job does not say. */
  readonly hours: PeopleHours
  catalogBytes(): number
}

/** The monitoring as a container. */
export interface MonitorPart {
  readonly startedMicros: number
  restart(): Promise<void>
}

/** One part of the service, as it is now. */
export interface Container extends ContainerName {
  /** It is listed: it can be restarted, has been started at a time of its own, and is measured. */
  readonly isContainer: boolean
  readonly title: string
  readonly status: ContainerStatus
  readonly waiting: number
  readonly waitingBytes: number
  readonly storeBytes: number | null
  readonly trouble: Trouble
  readonly startedMicros: number
  /** Asks the container for an answer. Rejects where there is none. */
  check(): Promise<unknown>
  /** Null where it restarts only with the process. */
  readonly restart: (() => Promise<void>) | null
}

/** A mailbox above this share is nearly full. */
const FULL_SHARE = 0.75
/** How late the event loop may be. */
const LOOP_LATE_MS = 500

const still = { waiting: 0, waitingBytes: 0, storeBytes: null, trouble: well } as const
const quiet = { ...still, isContainer: false, restart: null } as const

/** All containers, and the parts that are none, which began at `startedMicros`. */
export async function containersOf(
  deps: ContainerListDeps,
  monitor: MonitorPart,
  startedMicros: number,
): Promise<Container[]> {
  const clock = clockTrouble(deps.shards.clockBehindSeconds)
  const main = { ...quiet, container: MAIN, status: 'running', startedMicros, check: loopTurns } as const
  return [
    ...actors(deps),
    ...helpers(deps),
    ...(await integrations(deps, startedMicros)),
    {
      ...main,
      component: 'monitor',
      title: 'samples, watchdogs and the log, on the main thread',
      trouble: worseOf(diskTrouble(deps.dataDir), clock),
      isContainer: true,
      startedMicros: monitor.startedMicros,
      restart: () => monitor.restart(),
    },
    { ...main, component: 'monitor', container: 'process', title: 'the process as a whole' },
    {
      ...main,
      component: 'api',
      title: 'the HTTP server, on the main thread',
      trouble: clock,
    },
    ...stores(deps, startedMicros),
  ]
}

/** The threads of shards. */
function actors({ shards }: ContainerListDeps): Container[] {
  const own = Array.from({ length: shards.count }, (_, shard) => shard)
  return Array.from({ length: shards.threads }, (_, thread): Container => {
    const mailboxes = own.filter((shard) => shards.threadOf(shard) === thread).map((shard) => shards.mailbox(shard))
    const isFull = mailboxes.some(({ length, bytes }) => {
      return length > limits.mailboxMessagesMax * FULL_SHARE || bytes > limits.mailboxBytesMax * FULL_SHARE
    })
    return {
      ...quiet,
      component: 'actor',
      container: String(thread),
      title: 'a thread that stores and decides events',
      status: 'running',
      waiting: mailboxes.reduce((sum, { length }) => sum + length, 0),
      waitingBytes: mailboxes.reduce((sum, { bytes }) => sum + bytes, 0),
      trouble: isFull ? { health: 'degraded', reason: 'a mailbox is nearly full' } : well,
      isContainer: true,
      startedMicros: shards.threadStartedMicros(thread),
      check: () => shards.readThreadUsage(thread),
      restart: () => shards.restartThread(thread),
    }
  })
}

/** The threads beside those of shards. */
function helpers({ trainings, trainingThreads, readers }: ContainerListDeps): Container[] {
  const { queued, running } = trainings.underWay
  return [
    {
      ...quiet,
      component: 'trainer',
      container: MAIN,
      title: 'threads that train models',
      status: running > 0 ? 'running' : 'idle',
      waiting: queued + running,
      isContainer: true,
      startedMicros: trainingThreads.startedMicros,
      check: () => trainingThreads.answers(),
      restart: () => trainings.restart(),
    },
    {
      ...quiet,
      component: 'query',
      container: MAIN,
      title: 'threads that answer queries',
      status: readers.underWay > 0 ? 'running' : 'idle',
      waiting: readers.underWay,
      isContainer: true,
      startedMicros: readers.startedMicros,
      check: () => readers.ask('auditTerms', {}),
      restart: () => readers.restart(),
    },
  ]
}

/** The thread of the integrations, and each integration that is a step. */
async function integrations(
  { integrations: outside, resources }: ContainerListDeps,
  startedMicros: number,
): Promise<Container[]> {
  const status = outside.isRunning ? 'running' : outside.isNeeded ? 'starting' : 'stopped'
  const steps = outside.isRunning
    ? await Promise.all([outside.inputs(), outside.enrichments(), outside.deliveries()]).then(
        (all) => all.flat(),
        () => [],
      )
    : []
  const titles = new Map([...resources.integrations()].map(({ id, title }) => [id, title]))
  const ids = [...new Set(steps.map(({ integrationId }) => integrationId))]
  const thread = { ...quiet, component: 'integration', check: () => outside.threadUsage() } as const
  const since = outside.startedMicros ?? startedMicros
  const waitingOf = (own: typeof steps): number =>
    own.reduce((sum, step) => sum + ('waiting' in step ? step.waiting : 0), 0)
  return [
    {
      ...thread,
      container: MAIN,
      title: 'the thread of the integrations',
      status,
      waiting: waitingOf(steps),
      trouble: stepTrouble(steps),
      isContainer: true,
      startedMicros: since,
      restart: () => outside.restart(),
    },
    ...ids.map((id): Container => {
      const own = steps.filter(({ integrationId }) => integrationId === id)
      return {
        ...thread,
        container: String(id),
        title: titles.get(id) ?? '',
        status: own.every(({ state }) => state === 'paused') ? 'stopped' : 'running',
        waiting: waitingOf(own),
        trouble: stepTrouble(own),
        startedMicros: since,
        restart: async () => outside.restartOne(id),
      }
    }),
  ]
}

function stores({ dataDir, shards, catalogBytes }: ContainerListDeps, startedMicros: number): Container[] {
  const trouble = diskTrouble(dataDir)
  const store = (container: string, title: string, storeBytes: number, check: () => unknown): Container => {
    return {
      ...quiet,
      component: 'store',
      container,
      title,
      status: 'running',
      storeBytes,
      trouble,
      startedMicros,
      check: async () => check(),
    }
  }
  return [
    store('catalog', 'the catalog and the audit log', catalogBytes(), () => catalogBytes()),
    ...Array.from({ length: shards.count }, (_, shard) => {
      return store(`shard-${shard}`, 'events and what is learned from them', shards.sizeBytes(shard), () => [
        ...shards.reader(shard).storedJobs(),
      ])
    }),
  ]
}

/** Rejects where the event loop of the main thread is late. */
async function loopTurns(): Promise<void> {
  const begin = performance.now()
  await new Promise((resolve) => setTimeout(resolve, 1))
  const late = performance.now() - begin
  if (late > LOOP_LATE_MS) throw new Error(`the main thread was busy for ${Math.round(late)} milliseconds`)
}
