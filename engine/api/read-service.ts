/**
 * What a node of a cluster answers while another node owns the catalog: reads of stored events from its copies, and
 * events and votes, which go to the owners of their shards.
 */
import type { AutonomyService } from './autonomy-service.js'
import type { DecisionService } from './decision-service.js'
import type { LiveServices } from './live/live-services.js'

export interface ReadService
  extends Pick<
    DecisionService,
    | 'name'
    | 'threads'
    | 'authenticate'
    | 'job'
    | 'jobByTitle'
    | 'jobForPosts'
    | 'ingest'
    | 'ingestHistoric'
    | 'giveFeedback'
    | 'event'
    | 'exportEvent'
    | 'queries'
    | 'explanations'
    | 'clusters'
  > {
  readonly live: Pick<LiveServices, 'lists' | 'streams' | 'samples'>
  readonly autonomy: Pick<AutonomyService, 'isAudit'>
}
