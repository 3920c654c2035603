/**
 * The service of autonomy, on the main thread: contracts, certificates, reopening, the queue of people, forecasts.
 *
 * Leaves out: gates and audits (actor/autonomy/), the scans (people-queue.ts, forecast.ts, on reader threads), the
 * checks of idle jobs (gate-checks.ts).
 */
import { cursorAt, notACursor, placeIn, type ListName } from '../query/cursors.js'
import { cutText } from '../../domain/event/input/cut-text.js'
import { Refusal } from '../../errors.js'
import { autonomyBounds } from '../../domain/autonomy/bounds.js'
import { peopleHoursOf, type PeopleHours } from '../../domain/job/working-hours.js'
import { contractDefaults, contractOf, mustBeRate, mustBeRisk } from '../../domain/autonomy/contract.js'
import { epochWeeks, weekMicros } from '../../domain/autonomy/gate.js'
import type { JobSettings } from '../../domain/job/job.js'
import { resolveLabel } from '../../domain/job/labels.js'
import type { Random } from '../../rng.js'
import type {
  AutonomyService,
  AutonomyView,
  CertificatePage,
  CertificateQuery,
  ContractInput,
  Forecast,
  ForecastQuery,
  QueuePage,
  QueueQuery,
  ReopenRequest,
} from '../../api/autonomy-service.js'
import type { AuditService } from '../../api/audit-service.js'
import type { Author, JobHandle } from '../../api/principal.js'
import { encodeAutonomyCommand, type Reopened } from '../../actor/autonomy/autonomy-command.js'
import { authorOf } from '../../actor/message-author.js'
import type { AuditCollector } from '../audit/audit-collector.js'
import type { IngestClock } from '../../runtime/ingest-clock.js'
import type { ReadableShards } from '../read/job-reader.js'
import type { ReaderThreads } from '../readers/reader-threads.js'
import { autonomyView } from './autonomy-view.js'
import { isCheckDue } from './gate-checks.js'

export interface AutonomyDeps {
  readonly shards: ReadableShards
  readonly collector: Pick<AuditCollector, 'ask' | 'request'>
  readonly readers: ReaderThreads
  readonly audit: Pick<AuditService, 'entries'>
  readonly clock: Pick<IngestClock, 'nowMicros'>
  readonly random: Random
  /** When people are there. */
  readonly people: PeopleHours
  /** The job as it is now. @throws Refusal job_not_found. */
  current(job: JobHandle): JobSettings
  /** @throws Refusal draining. */
  mustAccept(): void
}

/** Bytes of the secret that audits are drawn with. */
const KEY_BYTES = 32

export class Autonomies implements AutonomyService {
  readonly #deps: AutonomyDeps

  constructor(deps: AutonomyDeps) {
    this.#deps = deps
  }

  async of(handle: JobHandle): Promise<AutonomyView> {
    const { shards, collector, clock, current } = this.#deps
    const job = current(handle)
    const reader = shards.reader(job.shard)
    const nowMicros = clock.nowMicros()
    if (isCheckDue(reader.autonomy(job.id), nowMicros))
      await collector.ask(job, 'autonomy', null, encodeAutonomyCommand({ op: 'check' }))
    return this.#view(job)
  }

  async set(handle: JobHandle, input: ContractInput, by: Author): Promise<AutonomyView> {
    const { collector, random, current, mustAccept } = this.#deps
    mustAccept()
    const job = current(handle)
    const contract = contractOf(input, job, this.#peopleOf(job))
    const drawKey = Buffer.from(random.bytes(KEY_BYTES)).toString('base64')
    const command = { op: 'set', contract, drawKey, by: authorOf(by) } as const
    await collector.ask(job, 'autonomy', null, encodeAutonomyCommand(command))
    return this.#view(job)
  }

  #view(job: JobSettings): AutonomyView {
    const row = this.#deps.shards.reader(job.shard).autonomy(job.id)?.row ?? null
    return autonomyView(job, row, this.#peopleOf(job))
  }

  #peopleOf({ advancedSettings }: JobSettings): PeopleHours {
    return peopleHoursOf(advancedSettings, this.#deps.people)
  }

  async certificates(handle: JobHandle, { gateId: gate, page, size }: CertificateQuery): Promise<CertificatePage> {
    const { audit, collector, current } = this.#deps
    const job = current(handle)
    if (gate !== undefined) this.#mustOwn(job, gate)
    collector.request(job.shard)
    const found = await audit.entries({
      jobId: job.id,
      objectTypes: ['gate'],
      ...(gate === undefined ? {} : { objectId: gate }),
      page,
      size,
      order: 'desc',
    })
    const certificates = found.records.map(({ atMicros, sequence, hash, by, details = {} }) => {
      return { atMicros, sequence, hash, by, document: details }
    })
    return { certificates, total: found.total, exact: found.exact }
  }

  async reopen(
    handle: JobHandle,
    { label: word, fromMicros }: ReopenRequest,
    by: Author,
  ): Promise<{ reopened: number; complete: boolean }> {
    const { collector, clock, current, mustAccept } = this.#deps
    mustAccept()
    const job = current(handle)
    const label = word === undefined ? null : resolveLabel(job.labels, word)
    if (word !== undefined && label === null)
      throw new Refusal(
        'unknown_label',
        `unknown label; the labels are ${job.labels.map(({ name }) => name).join(', ')}`,
      )
    const through = clock.nowMicros() + 1
    let [from, first, reopened] = [Math.max(0, fromMicros ?? through - epochWeeks * weekMicros), true, 0]
    const untilMs = performance.now() + autonomyBounds.reopenMs
    for (;;) {
      const command = { op: 'reopen', label, from, through, first, by: authorOf(by) } as const
      const piece = (await collector.ask(current(handle), 'autonomy', null, encodeAutonomyCommand(command))) as Reopened
      reopened += piece.reopened
      if (piece.next === null) return { reopened, complete: true }
      if (performance.now() > untilMs) return { reopened, complete: false }
      from = piece.next
      first = false
    }
  }

  async queue(handle: JobHandle, query: QueueQuery): Promise<QueuePage> {
    const { shards, readers, current } = this.#deps
    const job = current(handle)
    if (shards.reader(job.shard).autonomy(job.id) === null) throw noContract()
    const listing: ListName = ['queue', job.id, query.order]
    const place = query.after === undefined ? query : { ...query, after: placeIn(listing, query.after) }
    const page = await readers.ask('queue', { job, query: place })
    if (page === null) throw notACursor()
    return { ...page, next: page.next === null ? null : cursorAt(listing, page.next) }
  }

  async forecast(handle: JobHandle, query: ForecastQuery): Promise<Forecast> {
    const { shards, readers, current } = this.#deps
    const job = current(handle)
    const row = shards.reader(job.shard).autonomy(job.id)?.row ?? null
    mustBeRisk(['epsilon'], query.epsilon, 'epsilon', 'query')
    mustBeRisk(['delta'], query.delta, 'delta', 'query')
    const holdOutRate = query.holdOutRate ?? row?.contract.holdOutRate ?? contractDefaults.holdOutRate
    mustBeRate(['hold_out_rate'], holdOutRate, 'query')
    // The contract's own checks say which labels are protected.
    const { protectedLabels } = contractOf(
      {
        mode: 'off',
        holdOutRate,
        protectedLabels: query.protectedLabels ?? namesOf(job, row?.contract.protectedLabels),
        labels: [],
      },
      job,
      this.#peopleOf(job),
    )
    const { epsilon, delta } = query
    return await readers.ask('forecast', { job, terms: { epsilon, delta, holdOutRate, protectedLabels } })
  }

  isAudit(handle: JobHandle, eventId: string): boolean {
    const job = this.#deps.current(handle)
    return this.#deps.shards.reader(job.shard).autonomy(job.id)?.isAudit(eventId) === true
  }

  /** @throws Refusal gate_not_found. */
  #mustOwn(job: JobSettings, gate: string): void {
    const own = new RegExp(`^${job.id}-([1-9]\\d{0,8})$`).exec(gate)
    const next = this.#deps.shards.reader(job.shard).autonomy(job.id)?.row.nextGate ?? 1
    if (own === null || Number(own[1]) >= next)
      throw new Refusal('gate_not_found', `the job ${job.id} has no gate ${cutText(gate, 64)}; see its list of gates`)
  }
}

function namesOf({ labels }: JobSettings, places: readonly number[] | undefined): string[] | undefined {
  return places?.map((place) => labels[place]?.id ?? '')
}

function noContract(): Refusal {
  return new Refusal(
    'contract_not_found',
    'the job has no safety contract: set one first, with the mode shadow at least',
  )
}
