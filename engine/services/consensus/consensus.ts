/**
 * The consensus service. Overrides go to the job's actor as messages; views are of committed state.
 *
 * Leaves out: what a view shows (read/ballot-view.ts), the list of disagreements (disagreements.ts, on a reader
 * thread).
 */
import { Refusal } from '../../errors.js'
import { limits } from '../../limits.js'
import type { JobSettings } from '../../domain/job/job.js'
import type { AuditCollector } from '../audit/audit-collector.js'
import type {
  ConsensusService,
  ConsensusTarget,
  ConsensusView,
  DisagreementPage,
  DisagreementQuery,
  MixedPage,
  MixedQuery,
} from '../../api/consensus-service.js'
import { bucketIdBytes, encodeOverride } from '../../actor/votes/override.js'
import type { ReadableShards } from '../read/job-reader.js'
import type { ReaderThreads } from '../readers/reader-threads.js'
import type { Author, JobHandle } from '../../api/principal.js'

export interface ConsensusDeps {
  readonly shards: ReadableShards
  readonly collector: Pick<AuditCollector, 'ask'>
  readonly readers: ReaderThreads
  /** The job as it is now. @throws Refusal job_not_found. */
  current(job: JobHandle): JobSettings
  /** @throws Refusal draining. */
  mustAccept(): void
}

export class ConsensusQueries implements ConsensusService {
  readonly #deps: ConsensusDeps

  constructor(deps: ConsensusDeps) {
    this.#deps = deps
  }

  of(handle: JobHandle, target: ConsensusTarget): ConsensusView {
    const job = this.#deps.current(handle)
    const reader = this.#deps.shards.reader(job.shard)
    return 'eventId' in target
      ? reader.consensusOnEvent(job, target.eventId)
      : reader.consensusOnBucket(job, bucketIdBytes(target.bucketId))
  }

  async override(handle: JobHandle, target: ConsensusTarget, label: string, by: Author): Promise<ConsensusView> {
    return await this.#send(handle, target, label, by)
  }

  async withdraw(handle: JobHandle, target: ConsensusTarget, by: Author): Promise<ConsensusView> {
    return await this.#send(handle, target, null, by)
  }

  async disagreements(handle: JobHandle, query: DisagreementQuery): Promise<DisagreementPage> {
    return await this.#deps.readers.ask('disagreements', { job: this.#deps.current(handle), query })
  }

  async mixedBuckets(handle: JobHandle, query: MixedQuery): Promise<MixedPage> {
    return await this.#deps.readers.ask('mixedBuckets', { job: this.#deps.current(handle), query })
  }

  async #send(handle: JobHandle, target: ConsensusTarget, label: string | null, by: Author): Promise<ConsensusView> {
    this.#deps.mustAccept()
    const job = this.#deps.current(handle)
    const [eventId, bucketId] =
      'eventId' in target ? [target.eventId, null] : [null, bucketIdBytes(target.bucketId).toString('hex')]
    if (eventId !== null && Buffer.byteLength(eventId) > limits.eventIdBytesMax)
      throw new Refusal('event_not_found', 'event not found')
    await this.#deps.collector.ask(job, 'override', eventId, encodeOverride({ label, bucketId }, by))
    return this.of(handle, target)
  }
}
