/**
 * Decisions that changed after their event came in: what steps that take events out have to tell again.
 *
 * Owns: the rows of the table `changes`. Leaves out: new events, which need no row (decision-feed.ts finds them by their
 * time), and telling (integration/delivery.ts).
 *
 * 1. A row is in the commit of the change, and only where the job has a step to tell.
 * 2. A row goes when every such step of the job is past it.
 */
import { takesOut, type JobSettings } from '../job/job.js'
import { changeKey, timeOfValue, timeValue } from '../store/tables.js'
import type { Message } from './message.js'
import type { TurnStore } from './turn-store.js'

const nothing = new Uint8Array(0)
/** Rows that one message deletes. */
const FORGOTTEN_MAX = 2_000

/** The decision of the event that came in at `eventMicros` is another one, or its first. */
export function noteChange(store: TurnStore, settings: JobSettings, changeMicros: number, eventMicros: number): void {
  if (settings.pipeline.some(takesOut)) store.put('changes', changeKey(settings.id, changeMicros, eventMicros), nothing)
}

/** A message that says which change, and all before it, every step has told. */
export function encodePassed(changeMicros: number, eventMicros: number): Buffer {
  return Buffer.concat([timeValue(changeMicros), timeValue(eventMicros)])
}

/** Deletes rows that every step has told; the answer says whether there may be more. */
export function forgetPassed(store: TurnStore, { jobId, body, applied }: Message): { more: boolean } {
  if (applied) return { more: true }
  const to = changeKey(jobId, timeOfValue(body), timeOfValue(body.subarray(8)) + 1)
  let forgotten = 0
  for (const { key } of store.range('changes', { from: changeKey(jobId, 0, 0), to, limit: FORGOTTEN_MAX })) {
    store.delete('changes', key)
    forgotten++
  }
  return { more: forgotten === FORGOTTEN_MAX }
}
