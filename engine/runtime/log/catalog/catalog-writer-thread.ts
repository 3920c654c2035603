/**
 * The entry of the thread that appends to the catalog's log, with a connection of its own.
 *
 * 1. Records are appended one after the other. After the first that fails, none is.
 * 2. The main thread stands still meanwhile. So it is told that an append is lost as soon as the stream's leader is
 *    silent, and not only when it has taken too long.
 * 3. The append goes on all the same: a copy of the stream may have the record already, and show it to followers. Then
 *    it has to be in the stream when the servers are back, also after a power cut.
 */
import { must } from '../../../assert.js'
import { parentPort, workerData } from 'node:worker_threads'
import { CatalogHearer } from '../jetstream/catalog-seen.js'
import { connectToCluster } from '../jetstream/cluster-connection.js'
import { JetStreamLog } from '../jetstream/jetstream-log.js'
import { LeaderPulse } from '../jetstream/leader-pulse.js'
import { within } from '../../within.js'
import type { CatalogAppend, CatalogAppended, CatalogWriterData } from './catalog-writer.js'

/** Milliseconds between two questions to the stream's leader. */
const BEAT_MS = 250

const port = must(parentPort, 'the port to the main thread')
const { address, name, replicas, limitMs, after, done, answers } = workerData as CatalogWriterData
/** Milliseconds that an append goes on which is lost for the main thread. */
const GOES_ON_MS = 60_000

const connection = connectToCluster(address)
const opened = connection.then((one) => JetStreamLog.open(one, { name, of: 'catalog', limitMs: GOES_ON_MS, replicas }))
// Its failure is that of each append.
opened.catch(() => {})

const heard = opened.then((log) => {
  const pulse = new LeaderPulse(() => log.ask())
  setInterval(() => pulse.beat(), BEAT_MS).unref()
  return pulse
})
heard.catch(() => {})

const hearing = connection.then((one) => new CatalogHearer(one, name))
hearing.catch(() => {})

let end = after
let lost: string | null = null
/** Resolves when the append that is lost is stored, or cannot be. */
let settled: Promise<unknown> = Promise.resolve()

async function append(bytes: Uint8Array): Promise<CatalogAppended> {
  if (lost !== null) return { lost }
  try {
    const pulse = await within(limitMs, heard)
    const appending = (await opened).append(bytes, end)
    settled = appending.catch(() => {})
    end = await within(limitMs, pulse.whileHeard(appending))
    return { sequence: end }
  } catch (error) {
    lost = (error as Error).message
    return { lost }
  }
}

async function take({ bytes, isAwaited, isShared }: CatalogAppend): Promise<void> {
  const answer = await append(bytes)
  if (isShared && 'sequence' in answer) await (await hearing).reached(answer.sequence)
  if (!isAwaited) {
    if ('lost' in answer) port.postMessage(answer)
    return
  }
  answers.postMessage(answer)
  Atomics.add(done, 0, 1)
  Atomics.notify(done, 0)
}

let before: Promise<void> = Promise.resolve()

/** Null ends the thread, when what came before is done. */
port.on('message', (message: CatalogAppend | null) => {
  before = before.then(async () => {
    if (message !== null) return await take(message)
    await settled
    answers.close()
    port.close()
    await (await connection.catch(() => null))?.close()
  })
})
