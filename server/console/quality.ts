/**
 * Figures of quality as people read them: with their number of events and interval, or that there is not enough yet.
 *
 * Owns: the words. Leaves out: where they stand (pages.ts).
 */
import { ask } from './api.js'

interface Measured {
  readonly value: number | null
  readonly low: number | null
  readonly high: number | null
  readonly events: number
}

interface Quality {
  readonly message: string | null
  readonly accuracy: Measured
}

interface JobMetrics {
  readonly quality: { readonly new_buckets: Quality; readonly known_buckets: Quality }
  readonly time_saved_minutes: number
  readonly active_model_id: string | null
}

interface ModelMetrics {
  readonly quality: { readonly held_out: Quality } | null
}

function percent(share: number | null): string {
  return `${Math.round((share ?? 0) * 1000) / 10}`
}

/** `86.8 % (81.6 to 90.7), of 212 events`, or `not enough yet: 12 of 30 events`. */
function accuracyText({ message, accuracy }: Quality): string {
  const { value, low, high, events } = accuracy
  return message ?? `${percent(value)} % (${percent(low)} to ${percent(high)}), of ${events} events`
}

/** Rows of the job's page. Nothing here is compared with the votes that it was made from. */
export async function qualityRows(jobId: number, hasBuckets: boolean): Promise<string[][]> {
  const metrics = await ask<JobMetrics>('POST', `/api/v2/metrics/job?job_id=${jobId}`).catch(() => null)
  if (metrics === null) return []
  const { quality, time_saved_minutes: minutes, active_model_id: modelId } = metrics
  const model =
    modelId === null
      ? null
      : await ask<ModelMetrics>('GET', `/api/v2/metrics/model?job_id=${jobId}&model_id=${modelId}`).catch(() => null)
  const heldOut = model?.quality?.held_out ?? null
  const isKnown = quality.new_buckets.message === null || quality.known_buckets.message === null
  return [
    [hasBuckets ? 'Right in new buckets' : 'Right before a vote', accuracyText(quality.new_buckets)],
    ...(hasBuckets ? [['Right in known buckets', accuracyText(quality.known_buckets)]] : []),
    ['Right on held-out votes (model alone)', heldOut === null ? '-' : accuracyText(heldOut)],
    ['Minutes saved', isKnown || minutes > 0 ? `about ${minutes}` : 'not enough yet'],
  ]
}
