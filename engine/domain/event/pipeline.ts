/** How far an event is in the pipeline of its job, in the words of the section that exports and filters name. */
export interface PipelinePlace {
  /** As the `status` of the event. */
  readonly status: 'pending_inference' | 'OK'
  /** `inference`: it waits for its job to start. */
  readonly stage: 'enrichment' | 'inference' | 'finished'
}

const waitsForEnrichment: PipelinePlace = { status: 'pending_inference', stage: 'enrichment' }
const waitsForJob: PipelinePlace = { status: 'pending_inference', stage: 'inference' }
const finished: PipelinePlace = { status: 'OK', stage: 'finished' }

export function pipelinePlace(event: { readonly pending: boolean; readonly enrichments: string }): PipelinePlace {
  if (!event.pending) return finished
  return event.enrichments === 'awaited' ? waitsForEnrichment : waitsForJob
}
