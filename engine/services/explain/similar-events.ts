/**
 * The stored buckets, or events, that are most like an event.
 *
 * Owns: what is compared, for how long, and what is told of it. Leaves out: the distance (domain/learn/likeness.ts).
 *
 * 1. Buckets are compared in the order of their ids. Ids are hashes, so those that were compared before time was up are
 *    a fair sample. Without buckets events are compared, the latest first.
 * 2. Without a model that fits, features follow from a sample of what is compared.
 */
import type { SimilarEvent, SimilarEvents } from '../../api/explanation-service.js'
import { must } from '../../assert.js'
import { Refusal } from '../../errors.js'
import { limits } from '../../limits.js'
import { bucketIdText } from '../../domain/event/bucket-key.js'
import { eventIdOf } from '../../domain/event/event-id.js'
import type { PointValues } from '../../domain/event/point-value.js'
import type { EventLikeness } from '../../domain/learn/classifier.js'
import { Likeness, likenessAt } from '../../domain/learn/likeness.js'
import { clientIdOf, decodeHeader, ownMicrosOf, RECORD_HEAD_BYTES_MAX } from '../../store/event-record.js'
import { decodeBucket } from '../../store/bucket-row.js'
import { BucketTable } from '../../store/bucket-table.js'
import { jobRange, timeKey, timeOfKey, timeValue } from '../../store/tables.js'
import { BucketCounts } from '../../actor/buckets/bucket-counts.js'
import { findEvent, type FoundEvent } from '../../actor/event-table.js'
import { EventTimes } from '../../actor/event-times.js'
import { modelIdOf } from '../../actor/model-id.js'
import { consensusName, readBallot } from '../../actor/votes/ballots.js'
import type { TaskClock } from '../readers/task-frame.js'
import { EventValues } from './event-values.js'
import type { JobAt } from './job-at.js'
import { rounded, valueShown } from './shown.js'

/** Something that is compared with the event. */
interface Candidate {
  /** The id of a bucket, or the time of an event. */
  readonly subject: Uint8Array
  /** Of an event; of a bucket not known yet. */
  readonly micros: number | null
  readonly values: PointValues
}

type Near = Candidate & { readonly distance: number }

/** Features follow from so many candidates, where there is no model. */
const SAMPLE = 256
const DIFFERENCES_SHOWN = 16

/** @throws Refusal event_not_found, query_timeout. */
export function similarEvents(
  at: JobAt,
  { eventId, count }: { readonly eventId: string; readonly count: number },
  clock: TaskClock,
): SimilarEvents {
  const { environment, job } = at
  const event = findEvent(environment, job.id, eventId)
  if (event === null) throw new Refusal('event_not_found', 'event not found')
  const { active } = at
  const reader = new EventValues(at, active?.model ?? null)
  const values = reader.of(event)
  const counts = new BucketCounts(environment, job.id)
  const { bucketId } = event.header
  const about = {
    eventId,
    bucketId: bucketId === null ? null : Buffer.from(bucketId).toString('hex'),
    equalEvents: bucketId === null ? 1 : eventsIn(at, counts, bucketId).events,
    modelId: active === null ? null : modelIdOf(job.id, active.row.version),
  }
  // An alert that was never put into a cluster is like nothing.
  if (values === null) return { ...about, similar: [], compared: 0, isComplete: true }
  const until = clock.nowMs() + limits.similarMsMax
  const isOver = (): boolean => {
    if (clock.cancelled.isCancelled) throw new Refusal('query_timeout', 'the comparison was given up')
    return clock.nowMs() >= until
  }
  const likenessOf = (sample: readonly Candidate[]): EventLikeness =>
    active?.model.likeness() ?? Likeness.of(reader.names, [values, ...sample.map((one) => one.values)])
  // A bucket whose events were deleted has none left.
  const isThere = ({ subject, micros }: Candidate): boolean =>
    micros !== null || eventsIn(at, counts, subject).events > 0
  const search = new Search(values, count, { likenessOf, isThere })
  const candidates = bucketId === null ? eventsBefore(at, reader, event) : bucketsBeside(at, bucketId)
  let isComplete = true
  for (const candidate of candidates) {
    search.compare(candidate)
    if (!isOver()) continue
    isComplete = false
    break
  }
  const names = reader.names
  return {
    ...about,
    similar: search.nearest().map((near) => shownOf(at, counts, { near, names, values })),
    compared: search.compared,
    isComplete,
  }
}

interface SearchDeps {
  /** How events are compared; `sample` says what they are like. */
  likenessOf(sample: readonly Candidate[]): EventLikeness
  /** It has events. */
  isThere(candidate: Candidate): boolean
}

/** The nearest candidates so far. The first ones wait until there are enough to choose features by. */
class Search {
  readonly #values: PointValues
  readonly #count: number
  readonly #deps: SearchDeps
  readonly #waiting: Candidate[] = []
  readonly #near: Near[] = []
  #likeness: EventLikeness | null = null
  compared = 0

  constructor(values: PointValues, count: number, deps: SearchDeps) {
    this.#values = values
    this.#count = count
    this.#deps = deps
  }

  compare(candidate: Candidate): void {
    this.compared++
    if (this.#likeness !== null) return this.#add(this.#likeness, candidate)
    this.#waiting.push(candidate)
    if (this.#waiting.length === SAMPLE) this.#begin()
  }

  /** The nearest first. */
  nearest(): readonly Near[] {
    if (this.#likeness === null) this.#begin()
    return this.#near
  }

  #begin(): void {
    const likeness = this.#deps.likenessOf(this.#waiting)
    likeness.hold(this.#values)
    this.#likeness = likeness
    for (const candidate of this.#waiting) this.#add(likeness, candidate)
    this.#waiting.length = 0
  }

  #add(likeness: EventLikeness, candidate: Candidate): void {
    const near = this.#near
    const distance = likeness.distance(candidate.values)
    if (near.length === this.#count && distance >= (near.at(-1) as Near).distance) return
    if (!this.#deps.isThere(candidate)) return
    let place = near.length
    while (place > 0 && (near[place - 1] as Near).distance > distance) place--
    near.splice(place, 0, { ...candidate, distance })
    if (near.length > this.#count) near.pop()
  }
}

/** The other buckets of the present decision points. */
function* bucketsBeside({ environment, job, fingerprint }: JobAt, own: Uint8Array): Iterable<Candidate> {
  for (const { value } of environment.range('buckets', jobRange(job.id))) {
    const row = decodeBucket(value)
    const subject = row.id
    if (row.fingerprint !== fingerprint || Buffer.compare(subject, own) === 0) continue
    yield { subject: Buffer.from(subject), micros: null, values: row.values }
  }
}

/** The latest events, this one left out. */
function* eventsBefore(
  { environment, job }: JobAt,
  reader: EventValues,
  { micros: own }: Pick<FoundEvent, 'micros'>,
): Iterable<Candidate> {
  const range = { ...jobRange(job.id), reverse: true, limit: limits.similarEventsMax }
  for (const { key, value: record } of environment.range('events', range)) {
    const micros = timeOfKey(key)
    const values = micros === own ? null : reader.of({ micros, record })
    if (values !== null) yield { subject: timeValue(micros), micros, values }
  }
}

function eventsIn({ environment, job }: JobAt, counts: BucketCounts, bucketId: Uint8Array) {
  const number = new BucketTable(environment, job.id).numberOf(bucketId)
  return counts.of(bucketIdText(bucketId), must(number ?? undefined, 'the bucket of an event'))
}

const head = Buffer.alloc(RECORD_HEAD_BYTES_MAX)

function shownOf(
  at: JobAt,
  counts: BucketCounts,
  { near, names, values }: { readonly near: Near; readonly names: readonly string[]; readonly values: PointValues },
): SimilarEvent {
  const { environment, job } = at
  const count = near.micros === null ? eventsIn(at, counts, near.subject) : { events: 1, lastMicros: near.micros }
  const isStored = environment.read('events', timeKey(job.id, count.lastMicros), head) >= 0
  const label = isStored ? job.labels[decodeHeader(head).label] : undefined
  const ballot = readBallot(environment, job.id, near.subject)
  return {
    eventId: isStored ? (clientIdOf(head) ?? eventIdOf(count.lastMicros)) : null,
    ingestMicros: isStored ? count.lastMicros : null,
    ownMicros: isStored ? ownMicrosAt(at, count.lastMicros) : null,
    bucketId: near.micros === null ? Buffer.from(near.subject).toString('hex') : null,
    events: count.events,
    likeness: rounded(likenessAt(near.distance)),
    result: label?.id ?? '',
    resultLabel: label?.name ?? '',
    consensus: ballot === null ? null : consensusName(job.labels, ballot.consensus),
    differences: differencesOf(names, values, near.values),
  }
}

/** The own time of the event whose record begins in `head`. */
function ownMicrosAt({ environment, codec, job }: JobAt, micros: number): number {
  const whole = ownMicrosOf(head) === null ? environment.get('events', timeKey(job.id, micros)) : undefined
  return new EventTimes(codec).of(whole ?? head, micros)
}

function differencesOf(
  names: readonly string[],
  values: PointValues,
  others: PointValues,
): SimilarEvent['differences'] {
  const differences: SimilarEvent['differences'][number][] = []
  for (const [at, field] of names.entries()) {
    const [value, other] = [values[at] ?? null, others[at] ?? null]
    if (JSON.stringify(value) === JSON.stringify(other)) continue
    differences.push({ field, value: valueShown(value), other: valueShown(other) })
    if (differences.length === DIFFERENCES_SHOWN) break
  }
  return differences
}
