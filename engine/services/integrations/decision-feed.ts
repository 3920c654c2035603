/**
 * What a step is to deliver, read from the shard of its job: events behind the step's place, and decisions that changed
 * since.
 *
 * Owns: the walk over a snapshot, and which events pass the step's rule. Leaves out: delivering
 * (integration/delivery/delivery.ts), the rule itself (integration/rule.ts).
 *
 * 1. A snapshot holds every event up to the time of its last commit (shard.ts, 4). A reader that has read up to that
 *    time has missed none, so events need no queue of their own.
 * 2. The feed moves past an event that is not decided yet. Deciding it writes a row into `changes`.
 * 3. Events and changes are read from one snapshot. A changed event behind the place is delivered as a new event only.
 * 4. One read covers a bounded number of records, and returns a bounded number of bytes.
 */
import { bounds } from '../../integration/bounds.js'
import { eventIdOf } from '../../domain/event/event-id.js'
import type { JobSettings } from '../../domain/job/job.js'
import { matches, type Condition } from '../../domain/query/condition.js'
import { FieldSet } from '../../domain/query/field.js'
import { compileFilters } from '../../domain/query/filter.js'
import type { Feed, FeedItem, FeedPiece } from '../../integration/delivery/feed.js'
import { stepKey, type StepProgress, type StepId } from '../../integration/delivery/ledger.js'
import type { Summary, Waiting } from '../../integration/delivery/tally.js'
import { summaryEvent } from '../../integration/summary.js'
import type { RuledDecision } from '../../domain/decide/decision.js'
import { passes, type Rule } from '../../integration/rule.js'
import { BodyCodec } from '../../store/body-codec.js'
import type { Environment } from '../../store/environment.js'
import { clientIdOf, decodeHeader, decodePrevious } from '../../store/event-record.js'
import { changeKey, changeOfKey, jobKey, timeKey, timeOfKey } from '../../store/tables.js'
import { decisionBefore, isChangeTold } from '../../actor/decision-changes.js'
import { eventAt, lastTime, type FoundEvent } from '../../actor/event-table.js'
import type { JobReader } from '../read/job-reader.js'
import { RecordFields } from '../query/record-fields.js'

/** A shard, open for feeds. */
export interface FeedShard {
  readonly environment: Environment
  /** Over the same environment. */
  readonly reader: JobReader
}

export interface FeedDeps extends FeedShard {
  readonly job: JobSettings
  readonly step: StepId
  readonly rule: Rule
  /** SERVICE_NAME, and the neutral name. */
  readonly serviceNames: readonly string[]
  nowMicros(): number
}

export class DecisionFeed implements Feed {
  readonly #deps: FeedDeps
  readonly #condition: Condition | null
  readonly #fields: RecordFields | null

  constructor(deps: FeedDeps) {
    this.#deps = deps
    const { rule, environment, serviceNames } = deps
    if (rule.filters.length === 0) {
      this.#condition = null
      this.#fields = null
      return
    }
    const fields = new FieldSet(serviceNames)
    this.#condition = compileFilters(rule.filters, fields, { nowMicros: deps.nowMicros(), offsetMinutes: 0 })
    this.#fields = new RecordFields(environment, new BodyCodec(environment), fields)
  }

  look(after: StepProgress, eventsMax: number): FeedPiece {
    const { reader, job } = this.#deps
    reader.refresh()
    this.#fields?.ofJob(job)
    const items: FeedItem[] = []
    const budget = { items, eventsMax, bytes: bounds.deliveryBytesMax, records: bounds.deliveryRecordsPerLook }
    const changes = this.#changes(after, budget)
    const events = changes.more ? { events: after.events, more: true } : this.#events(after, budget)
    return { items, place: { ...changes.place, events: events.events }, more: changes.more || events.more }
  }

  tally(after: StepProgress, count: (waiting: Waiting) => void): Pick<FeedPiece, 'place' | 'more'> {
    const { reader, environment, job } = this.#deps
    reader.refresh()
    this.#fields?.ofJob(job)
    let records = bounds.deliveryRecordsPerLook
    let place = after
    const add = (event: FoundEvent, changeMicros: number): void => {
      if (!this.#passes(event)) return
      const label = job.labels[event.header.label]?.name ?? NO_DECISION
      count({ eventMicros: event.micros, changeMicros, label })
    }
    const changed = { from: changeKey(job.id, after.change, after.changeEvent + 1), to: jobKey(job.id + 1) }
    for (const { key, value } of environment.range('changes', changed)) {
      if (records-- <= 0) return { place, more: true }
      const { changeMicros, eventMicros } = changeOfKey(key)
      place = { ...place, change: changeMicros, changeEvent: eventMicros }
      const event = eventMicros <= after.events ? eventAt(environment, job.id, eventMicros) : null
      if (event !== null && isDelivered(this.#deps.rule, event, decisionBefore(value))) add(event, changeMicros)
    }
    const last = lastTime(environment)
    if (last <= place.events) return { place, more: false }
    const stored = { from: timeKey(job.id, place.events + 1), to: timeKey(job.id, last + 1) }
    for (const { key, value } of environment.range('events', stored)) {
      if (records-- <= 0) return { place, more: true }
      const micros = timeOfKey(key)
      place = { ...place, events: micros }
      add({ micros, record: value, header: decodeHeader(value), indexed: false, request: 0 }, 0)
    }
    return { place: { ...place, events: last }, more: false }
  }

  summaryItem(summary: Summary): FeedItem {
    const { job, step, serviceNames } = this.#deps
    const serviceName = serviceNames[0] as string
    const id = `${stepName(step)}.${eventIdOf(summary.fromMicros)}-${eventIdOf(summary.throughMicros)}`
    return {
      eventMicros: summary.throughMicros,
      changeMicros: 0,
      id,
      reason: 'decided',
      event: summaryEvent(summary, { jobId: job.id, jobTitle: job.title, serviceName }),
      summary,
    }
  }

  has(eventMicros: number): boolean {
    const { reader, environment, job } = this.#deps
    reader.refresh()
    return eventAt(environment, job.id, eventMicros) !== null
  }

  one(eventMicros: number, changeMicros: number): FeedItem | null {
    const { reader, environment, job } = this.#deps
    reader.refresh()
    this.#fields?.ofJob(job)
    const event = eventAt(environment, job.id, eventMicros)
    return event === null ? null : this.#item(event, changeMicros)
  }

  /** Changed decisions of events that the feed has moved past. */
  #changes(after: StepProgress, budget: Budget): { place: StepProgress; more: boolean } {
    const { environment, job } = this.#deps
    let place = after
    const range = { from: changeKey(job.id, after.change, after.changeEvent + 1), to: jobKey(job.id + 1) }
    for (const { key, value } of environment.range('changes', range)) {
      if (isSpent(budget)) return { place, more: true }
      const { changeMicros, eventMicros } = changeOfKey(key)
      place = { events: after.events, change: changeMicros, changeEvent: eventMicros }
      const event =
        eventMicros <= after.events && isChangeTold(value) ? eventAt(environment, job.id, eventMicros) : null
      spend(budget, event?.record.length ?? 0)
      if (event !== null && isDelivered(this.#deps.rule, event, decisionBefore(value)))
        this.#push(budget, event, changeMicros)
    }
    return { place, more: false }
  }

  /** New events. */
  #events(after: StepProgress, budget: Budget): { events: number; more: boolean } {
    const { environment, job, rule } = this.#deps
    const last = lastTime(environment)
    let through = after.events
    const range = { from: timeKey(job.id, after.events + 1), to: timeKey(job.id, last + 1) }
    if (last <= after.events) return { events: after.events, more: false }
    for (const { key, value } of environment.range('events', range)) {
      if (isSpent(budget)) return { events: through, more: true }
      through = timeOfKey(key)
      spend(budget, value.length)
      if (!rule.undecided && this.#wasDecidedInSilence(through, value)) continue
      const header = decodeHeader(value)
      this.#push(budget, { micros: through, record: value, header, indexed: false, request: 0 }, 0)
    }
    return { events: last, more: false }
  }

  /** The event had no decision when it came, and got one of which steps are not told. */
  #wasDecidedInSilence(eventMicros: number, record: Uint8Array): boolean {
    const { environment, job } = this.#deps
    const previous = decodePrevious(record)
    if (previous === null || previous.label >= 0) return false
    const change = environment.get('changes', changeKey(job.id, previous.reprocessedMicros, eventMicros))
    return change !== undefined && !isChangeTold(change)
  }

  #push(budget: Budget, event: FoundEvent, changeMicros: number): void {
    const item = this.#item(event, changeMicros)
    if (item !== null) budget.items.push(item)
  }

  /** Whether the event passes the rule of the step. */
  #passes({ header, micros, record }: FoundEvent): boolean {
    if (header.pending || !passes(this.#deps.rule, header)) return false
    if (this.#condition === null || this.#fields === null) return true
    this.#fields.event(micros, record)
    return matches(this.#condition, this.#fields)
  }

  /** The event as it is delivered; null where it does not pass the rule. */
  #item(event: FoundEvent, changeMicros: number): FeedItem | null {
    const { job, reader, serviceNames, step } = this.#deps
    const { header, micros, record } = event
    if (!this.#passes(event)) return null
    const serviceName = serviceNames[0] as string
    const eventId = clientIdOf(Buffer.from(record.buffer, record.byteOffset, record.byteLength)) ?? eventIdOf(micros)
    const { view, document } = reader.exportFound(job, event, eventId, serviceName)
    const change = changeMicros === 0 ? '' : `.${eventIdOf(changeMicros)}`
    return {
      eventMicros: micros,
      changeMicros,
      id: `${stepName(step)}.${eventIdOf(micros)}${change}`,
      reason: changeMicros > 0 && decodePrevious(record) !== null ? 'decided_again' : 'decided',
      event: {
        jobId: job.id,
        jobTitle: job.title,
        eventId,
        ingestMicros: micros,
        result: view.result,
        resultLabel: view.resultLabel,
        confidenceScore: view.confidenceScore,
        outlier: view.outlier,
        serviceName,
        document,
        bucketId: header.bucketId === null ? null : Buffer.from(header.bucketId).toString('hex'),
      },
    }
  }
}

/** What people are told of an event without a decision. */
const NO_DECISION = 'No decision'

/** A step as the beginning of the ids of its deliveries. */
function stepName(step: StepId): string {
  return Buffer.from(stepKey(step)).toString('hex').replace(/^0+/, '')
}

interface Budget {
  readonly items: FeedItem[]
  readonly eventsMax: number
  bytes: number
  records: number
}

function spend(budget: Budget, bytes: number): void {
  budget.records--
  budget.bytes -= bytes
}

function isSpent({ items, eventsMax, bytes, records }: Budget): boolean {
  return items.length >= eventsMax || bytes <= 0 || records <= 0
}

/**
 * Whether to deliver a decision that was made again. Some steps get it only where the label changed, or where the rule
 * did not let the decision before pass.
 */
function isDelivered(rule: Rule, { header }: FoundEvent, before: RuledDecision | null): boolean {
  return rule.sameAgain || before === null || before.label !== header.label || !passes(rule, before)
}
