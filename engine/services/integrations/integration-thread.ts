/**
 * The entry of the thread of the integrations: all network work is here, away from requests and from turns.
 *
 * Owns: its messages, its ticks, the order of its end. Leaves out: which steps run (steps.ts), what is asked of them
 * (dead-letter-service.ts).
 *
 * 1. It reads the catalog and the shards, and writes the ledger alone. Dying, it leaves nothing that the next one does not
 *    find in them.
 */
import { getPriority, setPriority } from 'node:os'
import { parentPort, workerData } from 'node:worker_threads'
import { systemClock } from '../../clock.js'
import { must } from '../../assert.js'
import { isRefusal } from '../../errors.js'
import { systemRandom } from '../../rng.js'
import { HostPolicy } from '../../integration/http/host-policy.js'
import { Delivery } from '../../integration/delivery/delivery.js'
import { Ledger, ledgerTables } from '../../integration/delivery/ledger.js'
import { alertsTable } from '../monitor/alert-log.js'
import { watchdogsTable } from '../monitor/watchdog-log.js'
import { catalogTables } from '../../resource/records.js'
import { Sealer } from '../../resource/access/sealing.js'
import { sealingKey } from '../../store/directory/data-dir.js'
import { openCatalog, openLedger } from '../../store/directory/environments.js'
import { AlertDeliveries } from './alert-deliveries.js'
import { packPiece } from './document-batch.js'
import { encodeEnriched } from '../../actor/enrichment-results.js'
import { Enrichers } from './enrichers.js'
import type { FromIntegrations, IntegrationThreadData, ToIntegrations } from './integration-protocol.js'
import { DeadLetterRequests } from './dead-letter-service.js'
import { PassedChanges } from './passed-changes.js'
import { Steps, type StepsDeps } from './steps.js'
import type { TakenIn } from '../../integration/delivery/refused-documents.js'

/** Threads that decide events come first where cores are few; what they wait for, or bring in, is as urgent as deciding. */
const NICE = 10
/** Between two reports of which changes were told. */
const REPORT_MS = 2_000
/** Before the next look at the catalog where one went wrong. */
const RETRY_MS = 1_000

const port = must(parentPort, 'the port to the main thread')
const { dataDir, serviceNames, privateHosts, pace, commits } = workerData as IntegrationThreadData

const tell = (message: FromIntegrations): void => port.postMessage(message)
const failed = (what: string, error: unknown): void => {
  const { message, stack } = error instanceof Error ? error : new Error(String(error))
  tell({ type: 'failed', what, message, stack })
}

/** Pieces that are being taken in, and who waits for each. */
const takingIn = new Map<number, (fared: TakenIn) => void>()
let lastPiece = 0

const usualPriority = getPriority()
const catalog = openCatalog(dataDir, [...catalogTables, watchdogsTable, alertsTable])
const ledger = new Ledger(openLedger(dataDir, ledgerTables), failed)
const deps: StepsDeps = {
  dataDir,
  catalog,
  ledger,
  pace,
  serviceNames,
  failed,
  query: (step, items, seconds, reason) => tell({ type: 'asked', step, items, seconds, reason }),
  takeIn: (step, documents) =>
    new Promise((resolve) => {
      const piece = packPiece(documents)
      takingIn.set(++lastPiece, resolve)
      port.postMessage({ type: 'takeIn', id: lastPiece, step, piece } satisfies FromIntegrations, [
        piece.bytes.buffer as ArrayBuffer,
      ])
    }),
  clock: systemClock,
  sealer: new Sealer(sealingKey(dataDir), systemRandom),
  policy: new HostPolicy(privateHosts),
}
const steps = new Steps(deps)
const alerts = new AlertDeliveries(deps, steps)
const enrichments = new Enrichers(
  {
    ...deps,
    bring: (jobId, events) =>
      new Promise((resolve) => {
        takingIn.set(++lastPiece, ({ busy }) => resolve(busy))
        tell({ type: 'enriched', id: lastPiece, jobId, order: encodeEnriched({ op: 'bring', events }) })
      }),
  },
  steps,
)
const deadLetters = new DeadLetterRequests(steps, { alerts, enrichments }, ledger)

/** A thread that has become low may be refused to become usual again; it is the next time that it starts. */
function prioritise(): void {
  const isUrgent = enrichments.isUsed || [...steps.steps].some(({ id, runs }) => id.role === 'input' && runs !== null)
  try {
    setPriority(isUrgent ? usualPriority : Math.min(19, usualPriority + NICE))
  } catch {
    // Slower, where cores are few.
  }
}

/** Looks at the catalog, one after the other, and once for many that were asked for together. */
let rewiring: Promise<void> | null = null
let again = false
let closing = false

async function rewire(): Promise<void> {
  if (rewiring !== null) {
    again = true
    return
  }
  do {
    again = false
    rewiring = steps
      .rewire()
      .then(() => alerts.rewire())
      .then(() => enrichments.rewire())
      .catch((error: unknown) => {
        failed('integrations could not be opened', error)
        setTimeout(() => void rewire(), RETRY_MS).unref()
      })
    await rewiring
    prioritise()
  } while (again && !closing)
  rewiring = null
}

const seen = new Int32Array(commits.length)

/** Wakes the steps of the shards that have committed something; gives back the maps of those that nobody reads. */
function tick(): void {
  for (const [number, { environment }] of steps.shards) {
    const now = Atomics.load(commits, number)
    if (now !== seen[number]) {
      steps.wake(number)
      enrichments.wake(number)
    } else if (
      enrichments.isIdle(number) &&
      [...steps.steps].every(({ job, runs }) => job.shard !== number || !(runs instanceof Delivery) || runs.isIdle)
    )
      environment.unmap()
    seen[number] = now
  }
}

const passed = new PassedChanges(ledger)

/** Says which changes every step of a job has told. */
function report(): void {
  for (const change of passed.next([...steps.steps].map(({ id }) => id))) tell({ type: 'passed', ...change })
}

const ticking = setInterval(tick, pace.lookMs)
const reporting = setInterval(report, REPORT_MS)

async function close(): Promise<void> {
  closing = true
  clearInterval(ticking)
  clearInterval(reporting)
  await rewiring
  await enrichments.close()
  await steps.close()
  await alerts.close()
  await ledger.close()
  await catalog.close()
  tell({ type: 'closed' })
  port.close()
}

port.on('message', (message: ToIntegrations) => {
  if (message.type === 'rewired') return void rewire()
  if (message.type === 'restart') {
    steps.restart(message.integrationId)
    enrichments.restart(message.integrationId)
    return void alerts.restart(message.integrationId).then(rewire)
  }
  if (message.type === 'erased') return steps.erased(message.jobId)
  if (message.type === 'alerted') return alerts.wake()
  if (message.type === 'close') return void close()
  if (message.type === 'tookIn') {
    takingIn.get(message.id)?.(message.fared)
    return void takingIn.delete(message.id)
  }
  const { id, ask, given } = message
  Promise.resolve(rewiring)
    .then(() => deadLetters.answer(ask, given as never))
    .then(
      (answer) => tell({ type: 'answer', id, answer }),
      (error: unknown) => {
        if (isRefusal(error)) return tell({ type: 'refused', id, code: error.code, message: error.message })
        failed('a question about integrations', error)
        tell({ type: 'refused', id, code: 'integrations_unavailable', message: 'the integrations could not answer' })
      },
    )
})

void rewire()
