/** What an export is made from. */
import type { EventExtras } from '../../domain/event/envelope.js'
import type { JobSettings } from '../../domain/job/job.js'
import type { ClusterPlace } from '../../api/cluster-service.js'
import type { EventView } from '../../api/decision-service.js'
import type { EnrichmentRow } from '../../store/enrichment-row.js'
import type { PreviousDecision, RecordHeader } from '../../store/event-record.js'
import type { StoredNote } from '../../store/note-row.js'
import type { BallotRow } from '../../store/ballot-row.js'

export interface ExportDeps {
  readonly job: Pick<JobSettings, 'id' | 'labels' | 'decisionPoints' | 'advancedSettings'>
  readonly view: EventView
  /** The event's own time, or that of its arrival, microseconds. */
  readonly ownMicros: number
  readonly header: RecordHeader
  readonly body: Record<string, unknown>
  readonly extras: EventExtras | null
  readonly ballot: BallotRow | null
  /** The decision before the last reprocessing; null where the event was never reprocessed. */
  readonly previous: PreviousDecision | null
  readonly notes: readonly StoredNote[]
  /** Its place in its cluster; null where the job has no clusters, or has not clustered it. */
  readonly place: ClusterPlace | null
  /** When the model of the decision was trained, microseconds; null without one. */
  readonly trainedMicros: number | null
  /** Its enrichment; null where there is none. */
  readonly enrichments: EnrichmentRow | null
  readonly serviceName: string
}
