/**
 * A forecast: which thresholds audits could certify, and what that would take. From stored decisions and votes.
 *
 * 1. It certifies nothing. Analysts choose what they vote on, so votes are no sample; they only say where to begin.
 * 2. A rate of misses is estimated from the votes and, as if it were `PRIOR_VOTES` of them, from the confidence. It is
 *    calibrated, so one less its mean is the share of wrong answers. Misses are a part of these.
 */
import { majorityOf } from '../../domain/autonomy/audit.js'
import { autonomyBounds } from '../../domain/autonomy/bounds.js'
import { count, percent } from '../../domain/autonomy/certificate.js'
import { auditsNeeded } from '../../domain/autonomy/evidence.js'
import { epochWeeks } from '../../domain/autonomy/gate.js'
import type { JobSettings } from '../../domain/job/job.js'
import type { Forecast, ThresholdForecast } from '../../api/autonomy-service.js'
import type { Environment } from '../../store/environment.js'
import { decodeHeader } from '../../store/event-record.js'
import { confidenceOf, labelOf } from '../../store/record-header.js'
import { jobRange, timeOfKey } from '../../store/tables.js'
import { subjectOf } from '../../actor/event-table.js'
import { readVotes } from '../../actor/votes/vote-rows.js'

export interface ForecastTerms {
  readonly epsilon: number
  readonly delta: number
  readonly holdOutRate: number
  readonly protectedLabels: readonly number[]
}

/** Thresholds that are tried, percent, from strict to lax. */
const thresholds = [99.5, 99, 98, 95, 90, 85, 80, 70, 60] as const
const CHECK_EVENTS = 1_024
const PRIOR_VOTES = 10
const DAY_MICROS = 86_400_000_000

/** By threshold: what was answered at it or above it. */
interface Tally {
  readonly events: number[]
  /** Sums of one less the confidence. */
  readonly doubt: number[]
  readonly voted: number[]
  readonly misses: number[]
}

export function forecastOf(
  environment: Environment,
  job: JobSettings,
  terms: ForecastTerms,
  nowMs: () => number,
): Forecast {
  const untilMs = nowMs() + autonomyBounds.forecastMs
  const tallies = job.labels.map((): Tally => ({ events: zeros(), doubt: zeros(), voted: zeros(), misses: zeros() }))
  let [events, decided, from, to] = [0, 0, null as number | null, null as number | null]
  environment.scan('events', { ...jobRange(job.id), reverse: true }, (key, value) => {
    events++
    const tally = tallies[labelOf(value)]
    if (tally !== undefined) {
      decided++
      from = timeOfKey(key)
      to ??= from
      see(environment, job, tally, { terms, micros: from, value })
    }
    return events < autonomyBounds.forecastEventsMax && (events % CHECK_EVENTS !== 0 || nowMs() < untilMs)
  })
  const days = from === null || to === null ? 0 : (to - from) / DAY_MICROS
  const period = { events: decided, days: Math.max(days, 1 / 24) }
  const rows = tallies.flatMap((tally, label) =>
    terms.protectedLabels.includes(label)
      ? []
      : thresholds.flatMap((threshold, place) =>
          tally.events[place] === 0 ? [] : [rowOf(job, terms, { tally, label, threshold, place, ...period })],
        ),
  )
  return {
    fromMicros: from,
    toMicros: to,
    events,
    holdOutRate: terms.holdOutRate,
    thresholds: rows,
    message: [messageOf(rows, terms, { events, decided }), ...remarksOn({ events, decided, days })].join(' '),
  }
}

function zeros(): number[] {
  return new Array<number>(thresholds.length).fill(0)
}

function see(
  environment: Environment,
  job: JobSettings,
  tally: Tally,
  { terms, micros, value }: { terms: ForecastTerms; micros: number; value: Uint8Array },
): void {
  const confidence = confidenceOf(value)
  const header = decodeHeader(Buffer.from(value))
  if (header.outlier || header.source === 'untrained' || header.source === 'ageing_model' || header.basis.ruleOff)
    return
  const miss = header.hasFeedback ? missOf(environment, job, { header, micros, terms }) : null
  for (const [place, threshold] of thresholds.entries()) {
    if (confidence < threshold * 100) continue
    tally.events[place] = (tally.events[place] as number) + 1
    tally.doubt[place] = (tally.doubt[place] as number) + 1 - confidence / 1e4
    if (miss === null) continue
    tally.voted[place] = (tally.voted[place] as number) + 1
    tally.misses[place] = (tally.misses[place] as number) + Number(miss)
  }
}

/** Whether people answered with a protected label; null where they did not answer. */
function missOf(
  environment: Environment,
  job: JobSettings,
  { header, micros, terms }: { header: ReturnType<typeof decodeHeader>; micros: number; terms: ForecastTerms },
): boolean | null {
  const votes = readVotes(environment, job.id, subjectOf(header, micros), micros)
  const label = majorityOf(votes.map((vote) => vote.label))
  return label === null ? null : terms.protectedLabels.includes(label)
}

function rowOf(
  job: JobSettings,
  { epsilon, delta, holdOutRate }: ForecastTerms,
  of: { tally: Tally; label: number; threshold: number; place: number; events: number; days: number },
): ThresholdForecast {
  const { tally, label, threshold, place, events, days } = of
  const answered = tally.events[place] as number
  const [votedEvents, misses] = [tally.voted[place] as number, tally.misses[place] as number]
  const name = job.labels[label]?.name ?? ''
  const doubt = (tally.doubt[place] as number) / answered
  const rate = (misses + PRIOR_VOTES * doubt) / (votedEvents + PRIOR_VOTES)
  const needed = auditsNeeded(epsilon, delta / epochWeeks, rate)
  const eventsPerDay = answered / days
  const auditsPerDay = eventsPerDay * holdOutRate
  const isPossible = Number.isFinite(needed) && auditsPerDay > 0
  const daysNeeded = isPossible ? needed / auditsPerDay : null
  const settledShare = events === 0 ? 0 : (answered / events) * (1 - holdOutRate)
  // Evidence of more than four weeks ago does not count.
  const isInTime = daysNeeded !== null && daysNeeded <= epochWeeks * 7
  return {
    label: name,
    threshold,
    settledShare,
    eventsPerDay,
    votedEvents,
    misses,
    auditsNeeded: Number.isFinite(needed) ? needed : null,
    auditsPerDay,
    days: isInTime ? daysNeeded : null,
    message: isInTime
      ? `${name} from ${threshold} % on would settle ${percent(settledShare)} of all events. That takes about ` +
        `${Math.ceil(needed)} audits` +
        // A file that was played in within minutes says nothing of days.
        (days < 1
          ? '.'
          : `, ${Math.max(1, Math.round(auditsPerDay))} a day, so about ` +
            `${count(Math.max(1, Math.ceil(daysNeeded as number)), 'day', 'days')}.`)
      : Number.isFinite(needed)
        ? `${name} from ${threshold} % on needs about ${Math.ceil(needed)} audits within 28 days, and only about ` +
          `${Math.round(auditsPerDay * epochWeeks * 7)} would come: raise the hold-out rate or epsilon.`
        : `${name} from ${threshold} % on is unlikely to be certified: by ${votedEvents} votes and the confidence ` +
          `about ${percent(rate)} of its answers are wrong, and epsilon is ${percent(epsilon)}.`,
  }
}

/** What to know of the events behind a forecast. */
function remarksOn({ events, decided, days }: { events: number; decided: number; days: number }): string[] {
  if (decided === 0) return []
  return [
    ...(decided === events
      ? []
      : [`All of this is about the ${decided} events that have a decision; ${events - decided} have none.`]),
    ...(days < 1
      ? ['These came within less than a day, so nobody knows yet how many come in a day, and how long a proof takes.']
      : []),
  ]
}

function messageOf(
  rows: readonly ThresholdForecast[],
  { epsilon, delta }: ForecastTerms,
  { events, decided }: { events: number; decided: number },
): string {
  if (events === 0) return 'The job has no events yet, so nothing can be foreseen.'
  if (decided === 0)
    return (
      'No event has a decision yet, so nothing can be foreseen: train the job, then decide stored events again or ' +
      'wait for new ones.'
    )
  if (rows.length === 0)
    return 'No event was decided with a label that may be settled and a confidence of 60 or more: nothing can be foreseen.'
  const best = rows
    .filter(({ days }) => days !== null)
    .reduce<ThresholdForecast | null>(
      (one, other) => (one && one.settledShare >= other.settledShare ? one : other),
      null,
    )
  if (best === null)
    return (
      `No threshold is likely to be certified for at most ${percent(epsilon)} wrong, with a confidence of ` +
      `${percent(1 - delta)}.`
    )
  return `The best option: ${best.message} This is an estimate and no proof: proof begins in the mode shadow.`
}
