/**
 * The entry of the integrations thread. All network work is done here, away from requests and turns.
 *
 * Owns: its messages, its timers, the order of its end. Leaves out: which steps run (steps.ts), answers about them
 * (integration-answers.ts).
 *
 * 1. The thread reads the catalog and the shards, and writes the ledger only. When it dies, the next one finds
 *    everything in them.
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
import { packBatch } from './document-batch.js'
import { encodeEnriched } from '../../actor/enrichment-results.js'
import { Enrichers } from './enrichers.js'
import type { FromIntegrations, IntegrationThreadData, ToIntegrations } from './integration-protocol.js'
import { IntegrationAnswers } from './integration-answers.js'
import { PassedChanges } from './passed-changes.js'
import { Steps, type StepsDeps } from './steps.js'
import { toldEnvironment } from './told-environment.js'
import type { TakenIn } from '../../integration/delivery/refused-documents.js'

/** Where cores are few, threads that decide events come first. Inputs and enrichment are as urgent as deciding. */
const NICE = 10
/** Between two reports of delivered changes. */
const REPORT_MS = 2_000
/** Before the catalog is read again where that failed. */
const RETRY_MS = 1_000

const port = must(parentPort, 'the port to the main thread')
const { dataDir, serviceNames, timeZone, privateHosts, pace, commits, tellsLedger } =
  workerData as IntegrationThreadData

const tell = (message: FromIntegrations): void => port.postMessage(message)
const failed = (what: string, error: unknown): void => {
  const { message, stack } = error instanceof Error ? error : new Error(String(error))
  tell({ type: 'failed', what, message, stack })
}

/** Requests to the shards, and the function that gets each answer. */
const unanswered = new Map<number, (fared: TakenIn) => void>()
let lastRequest = 0

const usualPriority = getPriority()
const catalog = openCatalog(dataDir, [...catalogTables, watchdogsTable, alertsTable])
const ledgerFile = openLedger(dataDir, ledgerTables)
const ledger = new Ledger(tellsLedger ? toldEnvironment(ledgerFile, tell) : ledgerFile, failed)
const deps: StepsDeps = {
  dataDir,
  catalog,
  ledger,
  pace,
  serviceNames,
  timeZone,
  failed,
  halted: () => setImmediate(reportTroubles),
  requested: (step, items, seconds, reason) => tell({ type: 'requested', step, items, seconds, reason }),
  found: (step, findings) => tell({ type: 'found', step, findings }),
  takeIn: (step, documents) =>
    new Promise((resolve) => {
      const batch = packBatch(documents)
      unanswered.set(++lastRequest, resolve)
      port.postMessage({ type: 'takeIn', id: lastRequest, step, batch } satisfies FromIntegrations, [
        batch.bytes.buffer as ArrayBuffer,
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
        unanswered.set(++lastRequest, ({ busy }) => resolve(busy))
        tell({ type: 'enriched', id: lastRequest, jobId, body: encodeEnriched({ op: 'bring', events }) })
      }),
  },
  steps,
)
const answers = new IntegrationAnswers({ steps, alerts, enrichments, ledger })

/** A system may refuse to raise a lowered priority. The thread then has the usual one when it next starts. */
function setUrgency(): void {
  const isUrgent = enrichments.isUsed || [...steps.steps].some(({ id, runs }) => id.role === 'input' && runs !== null)
  try {
    setPriority(isUrgent ? usualPriority : Math.min(19, usualPriority + NICE))
  } catch {
    // Only slower, and only where cores are few.
  }
}

/** The steps are opened and closed one run at a time. Requests during a run lead to one more run. */
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
    setUrgency()
    reportTroubles()
  } while (again && !closing)
  rewiring = null
}

const seen = new Int32Array(commits.length)

/** Wakes the steps of shards that have committed, and unmaps shards that nobody reads. */
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

let told = '[]'

/** Reports what is wrong with steps, where it is not as reported last. */
function reportTroubles(): void {
  if (closing) return
  const troubles = answers.troubles()
  const text = JSON.stringify(troubles)
  if (text !== told) tell({ type: 'troubles', troubles })
  told = text
}

/** Reports the changes that every step of a job has delivered. */
function report(): void {
  reportTroubles()
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
    alerts.restart(message.integrationId)
    return void rewire()
  }
  if (message.type === 'erased') return steps.erased(message.jobId)
  if (message.type === 'alerted') return alerts.wake()
  if (message.type === 'close') return void close()
  if (message.type === 'tookIn') {
    unanswered.get(message.id)?.(message.fared)
    return void unanswered.delete(message.id)
  }
  const { id, ask, given } = message
  Promise.resolve(rewiring)
    .then(() => answers.answer(ask, given as never))
    .then(
      (answer) => tell({ type: 'answer', id, answer }),
      (error: unknown) => {
        if (isRefusal(error)) return tell({ type: 'refused', id, code: error.code, message: error.message })
        failed('a query about integrations failed', error)
        tell({ type: 'refused', id, code: 'integrations_unavailable', message: 'the integrations could not answer' })
      },
    )
})

void rewire()
