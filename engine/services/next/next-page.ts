/**
 * A page of labels to ask for, from the candidates of a job and one snapshot.
 *
 * Owns: which slot takes what, and the words. Leaves out: candidates (candidate-pool.ts), values (selection/).
 *
 * 1. Dissent and flipped consensus stand on top. At most half of a page is that, and the whole of a page of one.
 * 2. A candidate that was voted on since the pool was made is labelled: it is not asked about, and covers others.
 * 3. A uniform slot alternates: an audit that waits for an answer, where there is one, and a draw by event. Both say
 *    that they were drawn, and no more: audits are not marked.
 */
import type { DecisionPoints } from '../../domain/event/decision-points.js'
import { bucketIdText, BUCKET_ID_BYTES } from '../../domain/event/bucket-key.js'
import { eventIdOf } from '../../domain/event/event-id.js'
import { AskOrder } from '../../domain/learn/selection/ask-order.js'
import { selectionBounds as bounds } from '../../domain/learn/selection/bounds.js'
import { neighboursMax } from '../../domain/learn/selection/candidates.js'
import { promisedEvents } from '../../domain/learn/selection/promise.js'
import { slotAt, type PickedBy } from '../../domain/learn/selection/slots.js'
import type { NextLabel, NextPage, NextQuery, Promised } from '../../api/next-service.js'
import { decodeBucketHead } from '../../store/bucket-row.js'
import { readBucket } from '../../store/bucket-table.js'
import { changeOfKey, jobRange } from '../../store/tables.js'
import { BucketCounts } from '../../actor/buckets/bucket-counts.js'
import { readBallot } from '../../actor/votes/ballots.js'
import type { JobAt } from '../explain/job-at.js'
import { rounded } from '../explain/shown.js'
import { lastEventOf, type CandidatePool } from './candidate-pool.js'
import { dissentNow } from './dissent.js'
import { eventShown } from './event-shown.js'
import { promisesKept } from './promises.js'
import { subjectAt, type CountedSubject } from './subject-columns.js'
import { pointsOf } from '../../domain/job/job-points.js'

/** Neighbours that a label teaches something about are at least so alike. */
const TAUGHT_FROM = 0.5
const TAUGHT_MIN = 3
/** Every second uniform slot may be an audit. */
const AUDIT_PERIOD = 20

export function nextPage(at: JobAt, pool: CandidatePool, query: NextQuery, nowMicros: number): NextPage {
  const promises = promisesKept(at, nowMicros)
  const page = new PageOfLabels(at, pool, { nowMicros, promises })
  page.addDissent(query)
  page.addCandidates(query.count)
  const { surveyed, unvoted, isComplete } = pool
  const { votes, right } = at.active?.row.drawn ?? { votes: 0, right: null }
  const drawn = { votes, right: right === null ? null : rounded(right) }
  return { labels: page.labels, promises, drawn, surveyed, unvoted, isComplete }
}

interface PageTerms {
  readonly nowMicros: number
  readonly promises: NextPage['promises']
}

class PageOfLabels {
  readonly labels: NextLabel[] = []
  readonly #at: JobAt
  readonly #pool: CandidatePool
  readonly #terms: PageTerms
  readonly #shown = new Set<number>()
  readonly #points: DecisionPoints

  constructor(at: JobAt, pool: CandidatePool, terms: PageTerms) {
    this.#at = at
    this.#pool = pool
    this.#terms = terms
    this.#points = pointsOf(at.job)
  }

  addDissent({ count, analyst }: NextQuery): void {
    const { environment, job } = this.#at
    const most = Math.min(bounds.dissentShown, Math.ceil(count / 2))
    const counts = new BucketCounts(environment, job.id)
    for (const { subject } of this.#pool.dissent) {
      if (this.labels.length >= most) return
      const now = dissentNow(this.#at, subject, analyst)
      const found = now === null ? null : this.#subjectOf(subject, counts)
      if (now !== null && found !== null) this.#add(found, now.pickedBy, now.reason)
    }
  }

  #subjectOf(id: Uint8Array, counts: BucketCounts): CountedSubject | null {
    const { environment, job, fingerprint } = this.#at
    if (id.length !== BUCKET_ID_BYTES) {
      const micros = Number(Buffer.from(id).readBigUInt64BE(0))
      return { id, events: 1, firstMicros: micros, lastMicros: micros }
    }
    const row = readBucket(environment, job.id, id)
    const head = row === undefined ? null : decodeBucketHead(row)
    if (head === null || head.fingerprint !== fingerprint) return null
    const { events, lastMicros } = counts.of(bucketIdText(id), head.number)
    return events === 0 ? null : { id, events, firstMicros: head.firstMicros, lastMicros }
  }

  addCandidates(count: number): void {
    const { candidates, draw } = this.#pool
    const order = new AskOrder(candidates)
    this.#takeVoted(order)
    const audits = this.#audits()
    const oneLabel = this.#oneLabel()
    for (let votes = this.#at.stats.feedbackEvents; this.labels.length < count; votes++) {
      const slot = slotAt(votes, oneLabel !== null)
      if (slot === 'uniform' && votes % AUDIT_PERIOD >= AUDIT_PERIOD / 2 && this.#addAudit(audits)) continue
      const place =
        slot === 'rule'
          ? order.best()
          : order.most(slot === 'uniform' ? (one) => -(draw[one] as number) : (one) => this.#strangeness(order, one))
      if (place < 0) break
      const subject = subjectAt(this.#pool.subjects, place)
      // An event that was erased since says nothing of its bucket.
      const about = oneLabel === null || slot !== 'hunt' ? '' : `, which was all ${oneLabel}`
      const reason = slot === 'rule' ? this.#reason(order, place) : `${reasons[slot]}${about}`
      order.take(place, this.#add(subject, slot, reason))
    }
  }

  /**
   * The only label that people have given, while a model waits for another one; else null. Then nine slots in ten are for
   * what is most unlike the events that have it: a fair sample of a stream of nearly one label finds no other.
   */
  #oneLabel(): string | null {
    const { active, stats, job } = this.#at
    if (active !== null || stats.feedbackEvents < bounds.oneLabelVotes) return null
    const given = job.labels.filter((_, at) => (stats.labelledEvents[at] ?? 0) > 0)
    return given.length === 1 ? (given[0]?.name ?? null) : null
  }

  #strangeness(order: AskOrder, place: number): number {
    return 1 - order.covered(place)
  }

  /** Candidates that have more votes now than when the pool was made. */
  #takeVoted(order: AskOrder): void {
    const { environment, job } = this.#at
    const { subjects } = this.#pool
    for (let place = 0; place < subjects.count; place++) {
      const ballot = readBallot(environment, job.id, subjectAt(subjects, place).id)
      if (ballot === null) continue
      const votes = ballot.votes.reduce((sum, count) => sum + count, 0)
      if (votes > (this.#pool.votes[place] as number) || ballot.override !== null) order.take(place, true)
    }
  }

  /** Ingest times of audits that nobody has answered, the one whose deadline is next first. */
  #audits(): number[] {
    const { environment, job } = this.#at
    const range = { ...jobRange(job.id), limit: bounds.auditsRead }
    return [...environment.range('dues', range)].map(({ key }) => changeOfKey(key).eventMicros)
  }

  #addAudit(audits: number[]): boolean {
    for (let micros = audits.shift(); micros !== undefined; micros = audits.shift()) {
      const bucketId = lastEventOf(this.#at, micros)?.header.bucketId ?? null
      const times = { firstMicros: micros, lastMicros: micros }
      const found =
        bucketId === null
          ? { id: new Uint8Array(0), events: 1, ...times }
          : this.#subjectOf(bucketId, new BucketCounts(this.#at.environment, this.#at.job.id))
      if (found !== null && this.#add({ ...found, lastMicros: micros }, 'uniform', reasons.uniform)) return true
    }
    return false
  }

  #reason(order: AskOrder, place: number): string {
    const { candidates, subjects, votes } = this.#pool
    const events = subjects.events[place] as number
    const { active } = this.#at
    const [from, alike] = [place * neighboursMax, candidates.alike]
    let taught = 0
    for (let at = from; at < from + neighboursMax; at++) {
      const other = candidates.neighbours[at] as number
      if (other >= 0 && (alike[at] as number) >= TAUGHT_FROM && order.covered(other) < TAUGHT_FROM) taught++
    }
    const said = active === null ? '' : `, the model is ${sureness(candidates.doubt[place] as number)}`
    const open = (votes[place] as number) === 0 ? 'nobody has voted on it' : 'it has the fewest votes'
    const more = taught >= TAUGHT_MIN ? `, and ${taught} similar buckets learn from it` : ''
    return `${events === 1 ? 'one event is' : `${events} events are`} in its bucket, ${open}${said}${more}`
  }

  /** False where the event is not stored any more. */
  #add(subject: CountedSubject, pickedBy: PickedBy, reason: string): boolean {
    const { job } = this.#at
    const { lastMicros } = subject
    if (this.#shown.has(lastMicros)) return false
    const event = eventShown(this.#at, this.#points, lastMicros)
    if (event === null) return false
    this.#shown.add(lastMicros)
    const { header, clientId, originalMicros, title, decisionPoints } = event
    const label = job.labels[header.label]
    this.labels.push({
      eventId: clientId ?? eventIdOf(lastMicros),
      ingestMicros: lastMicros,
      originalMicros,
      title,
      decisionPoints,
      bucketId: header.bucketId === null ? null : Buffer.from(header.bucketId).toString('hex'),
      events: subject.events,
      result: label?.id ?? '',
      resultLabel: label?.name ?? '',
      confidenceScore: header.confidence / 100,
      outlier: header.outlier,
      pickedBy,
      reason,
      promise: header.bucketId === null ? null : this.#promise(subject),
    })
    return true
  }

  #promise(subject: CountedSubject): Promised {
    const { measured, kept } = this.#terms.promises
    const events = promisedEvents(subject, this.#terms.nowMicros)
    const days = bounds.promiseDays
    const about = `settles about ${events} ${events === 1 ? 'event' : 'events'} in ${days} days`
    const past = measured === 1 ? 'the last promise' : `the last ${measured} promises`
    const message = kept === null ? about : `${about} (${past}: ${Math.round(100 * kept)} % kept)`
    return { events, days, message }
  }
}

const reasons = {
  uniform: 'random sample, to keep the metrics unbiased',
  hunt: 'it is the least like anything voted on',
} as const

function sureness(doubt: number): string {
  if (doubt >= 0.5) return 'unsure'
  return doubt >= 0.2 ? 'rather unsure' : 'rather sure'
}
