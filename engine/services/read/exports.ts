/**
 * Exports of single events: those of small events on the main thread, those of large ones on a reader thread.
 *
 * Owns: which thread makes an export. Leaves out: the document (export.ts), its text (export-text.ts), the work of a
 * reader thread (run-export.ts).
 *
 * 1. The main thread decodes no event of more than `exportedHereBytesMax` bytes as stored, with its notes and its
 *    enrichment (D6).
 */
import { limits } from '../../limits.js'
import type { JobSettings } from '../../domain/job/job.js'
import { ReaderTasks, type ReaderTasksDeps } from '../readers/reader-tasks.js'
import { exportText } from './export-text.js'
import type { ReadableShards } from './job-reader.js'

export interface ExportsDeps extends ReaderTasksDeps {
  readonly shards: Pick<ReadableShards, 'reader'>
}

export class Exports {
  readonly #deps: ExportsDeps
  readonly #tasks: ReaderTasks

  constructor(deps: ExportsDeps) {
    this.#deps = deps
    this.#tasks = new ReaderTasks(deps)
  }

  /** The answer as JSON text; a promise where another thread makes it. @throws Refusal event_not_found. */
  of(job: JobSettings, eventId: string, gone: AbortSignal): string | Promise<Uint8Array> {
    const { shards, serviceNames } = this.#deps
    const reader = shards.reader(job.shard)
    if (reader.storedBytes(job, eventId) > limits.exportedHereBytesMax) return this.#elsewhere(job, eventId, gone)
    const serviceName = serviceNames[0] as string
    return exportText(reader.exportEvent(job, eventId, serviceName), serviceName)
  }

  /** Gives up running exports, and refuses new large ones. */
  close(): void {
    this.#tasks.close()
  }

  async #elsewhere(job: JobSettings, eventId: string, gone: AbortSignal): Promise<Uint8Array> {
    const { json } = await this.#tasks.ask('exportedEvent', { job, eventId }, limits.queryMsMax, gone)
    return json
  }
}
