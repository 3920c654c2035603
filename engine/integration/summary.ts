/**
 * A message about many decisions, or alerts of watchdogs, as it leaves the service: sent where a receiver that people
 * read was away and too many wait to be told one by one.
 *
 * Owns: its text, its document, and its form as an event. Leaves out: when it is made (delivery/round.ts).
 */
import { isoMicros } from '../clock.js'
import { spanText } from '../domain/job/time-zone.js'
import type { DecidedEvent, Outgoing } from './contract.js'
import type { Summary } from './delivery/tally.js'

/** What a summary is of: a job, or the watchdogs of the service (null). */
interface SummaryOf {
  readonly jobId: number | null
  readonly jobTitle: string
  readonly serviceName: string
}

/** A whole number with commas. */
function numberText(count: number): string {
  return String(count).replace(/\B(?=(\d{3})+$)/g, ',')
}

/** The summary in the form of an event. */
export function summaryEvent(summary: Summary, { jobId, jobTitle, serviceName }: SummaryOf): DecidedEvent {
  const { count, fromMicros, throughMicros, labels } = summary
  return {
    jobId: jobId ?? 0,
    jobTitle,
    eventId: `summary-${isoMicros(fromMicros)}`,
    ingestMicros: throughMicros,
    result: '',
    resultLabel: '',
    confidenceScore: 0,
    outlier: false,
    bucketId: null,
    serviceName,
    document: {
      job_id: jobId,
      job_title: jobId === null ? null : jobTitle,
      count,
      from: isoMicros(fromMicros),
      through: isoMicros(throughMicros),
      labels: Object.fromEntries(labels),
    },
  }
}

/**
 * The summary as a sentence: `3,412 more decisions between 2026-03-29 14:02 and 16:01 UTC for Alert triage: Drop 3,400,
 * Escalate 12`. `fit` makes a name fit where it stands.
 */
export function summaryText(
  { event, summary }: Pick<Outgoing, 'event'> & { readonly summary: Summary },
  timeZone: string,
  fit: (text: string) => string = (text) => text,
): string {
  const { count, fromMicros, throughMicros, labels } = summary
  const isOfWatchdogs = event.jobId === 0
  const what = `${numberText(count)} more ${isOfWatchdogs ? 'alert' : 'decision'}${count === 1 ? '' : 's'}`
  const counts = labels.map(([label, number]) => `${fit(label)} ${numberText(number)}`).join(', ')
  const where = isOfWatchdogs ? ' of watchdogs' : ` for ${fit(event.jobTitle)}`
  return `${what} between ${spanText(fromMicros, throughMicros, timeZone)}${where}: ${counts}`
}
