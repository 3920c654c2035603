/** What a node of a cluster answers from its copies while another node is the owner: reads of stored events. */
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
    | 'event'
    | 'exportEvent'
    | 'queries'
    | 'explanations'
    | 'clusters'
  > {
  readonly live: Pick<LiveServices, 'lists' | 'streams' | 'samples'>
  readonly autonomy: Pick<AutonomyService, 'isAudit'>
}
