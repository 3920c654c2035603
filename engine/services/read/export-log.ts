/** The log messages of an exported event: its enrichment, why it has its decision, and agents' notes, as sentences. */
import { isoMicros } from '../../clock.js'
import type { StoredNote } from '../../store/note-row.js'
import type { EnrichmentNote } from '../../store/enrichment-row.js'
import type { ExportDeps } from './export-deps.js'

export interface LogMessage {
  readonly component: string
  /** The step or the workflow; `Generic` where there is none. */
  readonly component_subcategory: string
  readonly level: string
  readonly content: string
  readonly timestamp: string
}

const GENERIC = 'Generic'

/** What happened to the event, in order. */
export function logMessagesOf(deps: ExportDeps): LogMessage[] {
  return [...enrichmentMessages(deps), ...logMessages(deps), ...deps.notes.map(noteMessage)].sort(byTimestamp)
}

function byTimestamp(one: LogMessage, other: LogMessage): number {
  return one.timestamp < other.timestamp ? -1 : Number(one.timestamp > other.timestamp)
}

function noteMessage({ notes, workflowName, atMicros }: StoredNote): LogMessage {
  const content = typeof notes === 'string' ? notes : JSON.stringify(notes)
  return {
    component: workflowName ?? 'agent',
    component_subcategory: GENERIC,
    level: 'info',
    content,
    timestamp: isoMicros(atMicros),
  }
}

const enrichmentOutcomes: Readonly<Record<EnrichmentNote['outcome'], string>> = {
  found: 'found something',
  nothing: 'found nothing',
  failed: 'failed',
  late: 'was late',
}

const ofEnrichment = { component: 'enrichment', component_subcategory: GENERIC } as const
const ofActor = { component: 'actor', component_subcategory: GENERIC } as const

/** How each enrichment step ended, as a sentence. */
function enrichmentMessages({ enrichments, header, view }: ExportDeps): LogMessage[] {
  if (header.enrichments === 'passed_over') {
    const content = 'the event was not enriched: too many events of the job were waiting'
    return [{ ...ofEnrichment, level: 'warning', content, timestamp: isoMicros(view.ingestMicros) }]
  }
  if (enrichments === null) return []
  const timestamp = isoMicros(enrichments.atMicros)
  const messages = enrichments.steps.map(({ title, name, outcome, reason, ms }): LogMessage => {
    const without = outcome === 'failed' || outcome === 'late' ? '; the event was decided without it' : ''
    const why = reason === '' ? '' : `: ${reason}`
    const content = `enrichment by "${title}" (${name}) ${enrichmentOutcomes[outcome]} after ${ms} ms${why}${without}`
    return {
      component: 'enrichment',
      component_subcategory: title,
      level: without === '' ? 'info' : 'warning',
      content,
      timestamp,
    }
  })
  if (enrichments.leftOut === undefined) return messages
  return [
    ...messages,
    {
      ...ofEnrichment,
      level: 'warning',
      content: `the enrichment could not be stored with the event: ${enrichments.leftOut}`,
      timestamp,
    },
  ]
}

/** Why the event has its decision, as a sentence. */
function logMessages(deps: ExportDeps): LogMessage[] {
  const { job, view, previous, enrichments } = deps
  const [level, content] = reasonOf(deps)
  if (previous === null)
    return [{ ...ofActor, level, content, timestamp: isoMicros(enrichments?.atMicros ?? view.ingestMicros) }]
  const before = job.labels[previous.label]
  const was =
    before === undefined ? 'no decision' : `${before.name}, confidence ${(previous.confidence / 100).toFixed(2)}`
  return [
    {
      ...ofActor,
      level,
      content: `reprocessed; before: ${was}; now: ${content}`,
      timestamp: isoMicros(previous.reprocessedMicros),
    },
  ]
}

/** Why an event has its decision: the level of the message, and a sentence. */
export function reasonOf({
  header,
  previous,
  place,
}: Pick<ExportDeps, 'header' | 'previous' | 'place'>): [level: string, content: string] {
  if (header.enrichments === 'awaited') return ['info', 'the event waits for enrichment before it is decided']
  if (header.pending) return ['info', 'the job is stopped: the event waits until it starts']
  if (header.lacksPoints) return ['warning', 'no decision: the event has none of the decision points of the job']
  if (header.source === 'none') {
    const suggests =
      place?.suggestion == null
        ? ''
        : `; its place in its cluster suggests ${place.suggestion.resultLabel}: ${place.reason}`
    const when = previous === null ? 'came in' : 'was decided again'
    return ['info', `no decision: the job had no trained model when the event ${when}${suggests}`]
  }
  if (header.source === 'untrained') {
    return [
      'info',
      'no training yet: decided by its place in its cluster alone, with low confidence; ' +
        (place?.reason ?? 'it is in no cluster'),
    ]
  }
  if (header.source === 'knowledge_base')
    return ['info', 'decided by the consensus of its bucket in the knowledge base']
  const unlike = header.outlier ? '; it is unlike all events that the model was trained on' : ''
  const plain = header.basis.ruleOff ? '; its rule for macro F1 is off, so the most probable label is the answer' : ''
  const by = `decided by model version ${header.modelVersion}${unlike}${plain}`
  if (header.source !== 'ageing_model')
    return ['info', header.basis.doubt > 0 ? `${by}; the stream has moved, so its confidence was lowered` : by]
  return ['warning', `${by}; the model is ageing, so its confidence was lowered: train it again`]
}
