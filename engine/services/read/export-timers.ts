/**
 * The timers and batch ids of an exported event (C3.4), in the shape that existing clients read.
 *
 * 1. They follow from stored times alone, so an event has the same ones each time.
 * 2. An event is its own batch. It is decided in the turn that stores it, unless it waits for enrichment or for its job
 *    to start. When a job started is not stored, so an event that waited for that alone has timers of 0.
 */
import { createHash } from 'node:crypto'

interface StageTimer {
  readonly per_alert_in_batch_ms: number
  readonly total_ms: number
  /** Milliseconds since 1970. */
  readonly start: number
  readonly end: number
  readonly kafka_overhead_in_ms: number
}

/** A stage is null until it has ended. */
interface Timers {
  readonly core: { readonly end: number }
  readonly inference: StageTimer | null
  readonly output: StageTimer | null
  readonly total_kafka_overhead_in_s: number
  readonly total_pipeline_in_s: number | null
}

/** The timers of an event that arrived and was first decided at these times; null: not yet. */
export function timersOf(ingestMicros: number, decidedMicros: number | null): Timers {
  const core = { end: millis(ingestMicros) }
  if (decidedMicros === null)
    return { core, inference: null, output: null, total_kafka_overhead_in_s: 0, total_pipeline_in_s: null }
  return {
    core,
    inference: stage(ingestMicros, decidedMicros),
    output: stage(decidedMicros, decidedMicros),
    total_kafka_overhead_in_s: 0,
    total_pipeline_in_s: millis(Math.max(0, decidedMicros - ingestMicros)) / 1_000,
  }
}

function stage(startMicros: number, endMicros: number): StageTimer {
  const [start, end] = [millis(startMicros), millis(Math.max(startMicros, endMicros))]
  return { per_alert_in_batch_ms: end - start, total_ms: end - start, start, end, kafka_overhead_in_ms: 0 }
}

function millis(micros: number): number {
  return Math.floor(micros / 1_000)
}

/** The ids of the batch that decided the event, and of the one that brought it in. */
export function batchIds(
  jobId: number,
  ingestMicros: number,
  decidedMicros: number | null,
): { readonly batch_uuid: string; readonly batch_master_uuid: string } {
  return {
    batch_uuid: uuidOf(`${jobId}.${ingestMicros}.${decidedMicros ?? ''}`),
    batch_master_uuid: uuidOf(`${jobId}.${ingestMicros}`),
  }
}

/** A UUID of version 8 (RFC 9562, 5.8) that is a hash of the text. */
function uuidOf(text: string): string {
  const bytes = createHash('sha256').update(text, 'utf8').digest().subarray(0, 16)
  bytes[6] = ((bytes[6] as number) & 0x0f) | 0x80
  bytes[8] = ((bytes[8] as number) & 0x3f) | 0x80
  return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')
}
