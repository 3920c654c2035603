/**
 * Reads of stored events by a node that is not the owner, from its copies.
 *
 * Owns: the services that only read, over copies of the catalog and of the shards. Leaves out: keeping the copies
 * (standby.ts), whether they are current (read-point.ts), which requests are answered here (server/cluster/).
 *
 * 1. Nothing here writes. Uses of keys are told to the owner, which notes them.
 */
import type { Clock } from '../../clock.js'
import { Refusal } from '../../errors.js'
import type { EventView } from '../../api/decision-service.js'
import type { JobHandle, Principal } from '../../api/principal.js'
import type { ReadService } from '../../api/read-service.js'
import { allKinds } from '../../integration/registry.js'
import { sectionNamesOf } from '../../options.js'
import type { ChangedRow } from '../../resource/followed-changes.js'
import { ResourceCopy } from '../../resource/resource-copy.js'
import { decodeHead, headKey } from '../audit/audit-tables.js'
import { Explanations } from '../explain/explanations.js'
import { Lists } from '../lists/lists.js'
import { Queries } from '../query/query-service.js'
import { AlertClusters } from '../read/cluster-service.js'
import { Exports } from '../read/exports.js'
import type { ReadableShards } from '../read/job-reader.js'
import { ReaderThreads } from '../readers/reader-threads.js'
import { Samples } from '../sample/samples.js'
import { StreamThread } from '../stream/stream-threads.js'
import { Streams } from '../stream/streams.js'
import { HistoryRequests } from '../history/history-requests.js'
import { Intake } from '../intake.js'
import type { NodeData } from './node-data.js'

export interface CopyServiceDeps {
  readonly name: string
  readonly data: Pick<NodeData, 'dataDir' | 'catalog' | 'shards' | 'clock'>
  readonly clock: Clock
  /** A key or token was used. */
  used(id: string): void
  failed(what: string, error: unknown): void
}

export class CopyService implements ReadService {
  readonly name: string
  readonly threads: number
  readonly queries: Queries
  readonly explanations: Explanations
  readonly clusters: AlertClusters
  readonly live: ReadService['live']
  readonly autonomy: ReadService['autonomy']
  readonly resources: ResourceCopy
  readonly intake: Intake
  readonly #shards: ReadableShards
  #isStopped = false
  readonly #exports: Exports
  readonly #history: HistoryRequests
  readonly #closing: readonly { close(): void }[]
  readonly #pools: readonly { close(): Promise<void> }[]

  constructor(deps: CopyServiceDeps) {
    const { name, data, failed } = deps
    const { dataDir, catalog, shards, clock } = data
    this.name = name
    this.threads = shards.threads
    this.#shards = shards
    const resources = new ResourceCopy(catalog, { clock: deps.clock, kinds: allKinds, used: deps.used })
    this.resources = resources
    const current = (handle: JobHandle) => resources.current(handle)
    this.intake = new Intake({ shards, current, mustAccept: () => {}, ask: shards.ask.bind(shards) })
    const readers = new ReaderThreads(dataDir, (error) => failed('a reader thread died', error))
    const listThread = new ReaderThreads(dataDir, (error) => failed('the list thread died', error), 'list')
    const streamThread = new StreamThread(failed)
    const serviceNames = sectionNamesOf(name)
    const reads = { serviceNames, readers, clock }
    const auditLog = { head: () => decodeHead(catalog.get('audit_meta', headKey)) }
    const lists = new Lists({ serviceNames, readers: listThread, resources, clock })
    const streams = new Streams({
      dataDir,
      serviceNames,
      resources,
      shards,
      auditLog,
      thread: streamThread,
      clock,
      failed,
    })
    const samples = new Samples(reads)
    this.#history = new HistoryRequests({
      ...reads,
      shards,
      collector: { ask: shards.ask.bind(shards) },
      job: (id) => resources.job(id),
      current,
      mustAccept: () => {},
      accepting: () => !this.#isStopped,
      failed,
    })
    this.queries = new Queries({ ...reads, resources })
    this.explanations = new Explanations({ ...reads, current })
    this.clusters = new AlertClusters({ shards, current })
    this.#exports = new Exports({ ...reads, shards })
    this.live = { lists, streams, samples }
    this.autonomy = {
      isAudit: (handle, eventId) => {
        const job = current(handle)
        return shards.reader(job.shard).autonomy(job.id)?.isAudit(eventId) === true
      },
    }
    this.#closing = [streams, lists, samples, this.#history, this.queries, this.explanations, this.#exports]
    this.#pools = [readers, streamThread, listThread]
  }

  /** Rows of the catalog were changed. */
  changed(rows: readonly ChangedRow[]): void {
    this.resources.follow(rows)
  }

  authenticate(key: string): Principal | null {
    return this.resources.authenticate(key)
  }

  job(principal: Principal, id: number): JobHandle {
    const job = this.resources.job(id)
    if (job === undefined || !this.resources.canSee(principal, id)) throw new Refusal('job_not_found', 'job not found')
    return job
  }

  jobByTitle(principal: Principal, title: string): JobHandle {
    const job = this.resources.jobByTitle(title)
    if (job === undefined || !this.resources.canSee(principal, job.id))
      throw new Refusal('job_not_found', 'job not found')
    return job
  }

  jobForPosts(principal: Principal, id: number): JobHandle {
    const job = this.job(principal, id)
    if (this.resources.canPost(principal, id)) return job
    throw new Refusal('input_disabled', 'the input of the job is disabled: enable it in the pipeline of the job')
  }

  readonly ingest: ReadService['ingest'] = (...given) => this.intake.ingest(...given)

  readonly ingestHistoric: ReadService['ingestHistoric'] = (...given) => this.#history.take(...given)

  readonly giveFeedback: ReadService['giveFeedback'] = (...given) => this.intake.giveFeedback(...given)

  event(handle: JobHandle, eventId: string): EventView {
    const job = this.resources.current(handle)
    return this.#shards.reader(job.shard).event(job, eventId)
  }

  exportEvent(handle: JobHandle, eventId: string, gone: AbortSignal): string | Promise<Uint8Array> {
    return this.#exports.of(this.resources.current(handle), eventId, gone)
  }

  /** Gives up what runs, and ends the streams. */
  stop(): void {
    this.#isStopped = true
    for (const one of this.#closing) one.close()
  }

  async close(): Promise<void> {
    this.stop()
    await Promise.all(this.#pools.map((pool) => pool.close()))
  }
}
