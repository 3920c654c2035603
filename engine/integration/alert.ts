/**
 * A watchdog that fired or resolved, as it leaves the service.
 *
 * Owns: the text and the document of an alert, and its form as an event for kinds that only know events. Leaves out:
 * when a watchdog fires (monitor/), delivery (delivery.ts).
 */
import { isoMicros } from '../clock.js'
import type { DecidedEvent, WatchdogAlert } from './contract.js'

const VALUE_DIGITS = 4

function numberText(value: number): string {
  return String(Number(value.toPrecision(VALUE_DIGITS)))
}

/** The alert as a sentence. */
export function alertText({ state, condition, value, unit, bad, threshold, jobTitle }: WatchdogAlert): string {
  const what = `${condition} is ${value === null ? 'no longer measured' : `${numberText(value)} ${unit}`}`
  return `${what}; it ${state === 'firing' ? 'fires' : 'fired'} ${bad} ${numberText(threshold)}${jobTitle === null ? '' : `, job ${jobTitle}`}`
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
    at: isoMicros(alert.atMicros),
    since: isoMicros(alert.sinceMicros),
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
