/**
 * A watchdog that fired or resolved, as it leaves the service.
 *
 * Owns: the text and the document of an alert, and its form as an event for kinds that only know events. Leaves out:
 * when a watchdog fires (monitor/), delivery (delivery.ts).
 */
import { isoMicros } from '../clock.js'
import { momentText } from '../domain/job/time-zone.js'
import type { DecidedEvent, WatchdogAlert } from './contract.js'

const VALUE_DIGITS = 4

function numberText(value: number): string {
  return String(Number(value.toPrecision(VALUE_DIGITS)))
}

/** The alert as a sentence. */
export function alertText(alert: WatchdogAlert): string {
  const { state, condition, value, unit, bad, threshold, jobTitle } = alert
  const units = value === 1 ? unit.replace(/s$/, '') : unit
  const what = `${condition} is ${value === null ? 'no longer measured' : `${numberText(value)} ${units}`}`
  const fires = `it ${state === 'firing' ? 'fires' : 'fired'} ${bad} ${numberText(threshold)}`
  return `${what}; ${fires}${jobTitle === null ? '' : `, job ${jobTitle}`}${historyText(alert)}`
}

/** Since when it fires, and how often it did, where that is not what was told last. */
function historyText({ state, atMicros, firingSinceMicros, fired, isReminder, timeZone }: WatchdogAlert): string {
  const isLate = state === 'firing' && firingSinceMicros !== null && atMicros - firingSinceMicros >= LATE_MICROS
  const since = firingSinceMicros === null ? '' : momentText(firingSinceMicros, timeZone)
  if (isReminder) return `. It still fires, since ${since}`
  const times = fired > 1 || (fired === 1 && state === 'resolved') ? `fired ${count(fired)} since the last message` : ''
  if (isLate) return `. Firing since ${since}${times === '' ? '' : `; it ${times}`}`
  return times === '' ? '' : `. It ${times}`
}

/** A message this long after it began to fire says since when. */
const LATE_MICROS = 30e6

function count(times: number): string {
  return times === 1 ? 'once' : `${times} times`
}

/** The document that receivers get: `data` of a webhook, the event of other kinds. */
export function alertDocument(alert: WatchdogAlert): Readonly<Record<string, unknown>> {
  return {
    title: alert.title,
    message: alertText(alert),
    severity: alert.state === 'firing' ? 8 : 3,
    state: alert.state,
    watchdog_id: alert.watchdogId,
    type: alert.type,
    condition: alert.condition,
    value: alert.value,
    unit: alert.unit,
    fires: alert.bad,
    threshold: alert.threshold,
    resolve_threshold: alert.resolveThreshold,
    job_id: alert.jobId,
    job_title: alert.jobTitle,
    page: alert.jobId === null ? '/operations' : `/jobs/${alert.jobId}`,
    at: isoMicros(alert.atMicros),
    since: isoMicros(alert.sinceMicros),
    firing_since: alert.firingSinceMicros === null ? null : isoMicros(alert.firingSinceMicros),
    fired_count: alert.fired,
    reminder: alert.isReminder,
  }
}

/** The alert in the form of an event. */
export function alertEvent(alert: WatchdogAlert, serviceName: string): DecidedEvent {
  return {
    jobId: alert.jobId ?? 0,
    jobTitle: alert.jobTitle ?? serviceName,
    eventId: `watchdog-${alert.watchdogId}`,
    ingestMicros: alert.atMicros,
    result: alert.state,
    resultLabel: alert.state === 'firing' ? 'Firing' : 'Resolved',
    confidenceScore: 100,
    outlier: false,
    bucketId: null,
    document: alertDocument(alert),
    serviceName,
  }
}
