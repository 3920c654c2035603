/** An export as a reader thread makes it: read, decoded and serialized from one snapshot. */
import { Refusal } from '../../errors.js'
import type { JobSettings } from '../../domain/job/job.js'
import { withStores } from '../readers/reader-stores.js'
import { clockOf, refusedAsData, type RefusedTask, type TaskFrame } from '../readers/task-frame.js'
import { exportText } from './export-text.js'
import { JobReader } from './job-reader.js'

export interface ExportTask extends TaskFrame {
  readonly job: JobSettings
  readonly eventId: string
}

/** The answer as JSON text in UTF-8. */
export type ExportResult = { readonly json: Uint8Array } | RefusedTask

/** A refusal comes back as data. */
export function runExport(dataDir: string, task: ExportTask): ExportResult {
  return withStores(dataDir, (stores) =>
    refusedAsData(() => {
      const { job, eventId, serviceNames } = task
      const { nowMs, deadlineMs, cancelled } = clockOf(task)
      if (cancelled.isCancelled || nowMs() >= deadlineMs) throw new Refusal('query_timeout', 'the export was given up')
      const { environment, codec } = stores(job.shard)
      const serviceName = serviceNames[0] as string
      const exported = new JobReader(environment, codec).exportEvent(job, eventId, serviceName)
      return { json: Buffer.from(exportText(exported, serviceName), 'utf8') }
    }),
  )
}
