/** What people have said since the page was loaded: who said it, and the consensus since. */
import { signal } from '@preact/signals'

/** Votes that are remembered. */
const VOTES_MAX = 5_000

export interface Said {
  readonly analyst: string
  readonly consensus: string | null
}

/** By `subjectKey`. */
export const saidSince = signal<ReadonlyMap<string, Said>>(new Map())

/** The key of a bucket, or of an event without one. */
export function subjectKey(jobId: number, bucketId: string | null, eventId: string): string {
  return `${jobId} ${bucketId ?? eventId}`
}

export function noteSaid(jobId: number, bucketId: string | null, eventId: string, said: Said): void {
  const all = new Map([...saidSince.value].slice(-VOTES_MAX))
  all.set(subjectKey(jobId, bucketId, eventId), said)
  saidSince.value = all
}
