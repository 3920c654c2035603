/** An explanation as plain data: what a reader thread gets, and what it returns. */
import type { ComputedDecision } from '../../api/models/computed-decision.js'
import type { EventExplanation, SimilarEvents, WhatIf } from '../../api/explanation-service.js'
import type { JobSettings } from '../../domain/job/job.js'
import type { RefusedTask, TaskFrame } from '../readers/task-frame.js'

export type ExplainQuery =
  | { readonly kind: 'event'; readonly eventId: string }
  | { readonly kind: 'computed'; readonly eventId: string }
  /** The text of a request, in UTF-8. */
  | { readonly kind: 'body'; readonly body: Uint8Array }
  | { readonly kind: 'similar'; readonly eventId: string; readonly count: number }

export interface ExplainTask extends TaskFrame {
  readonly job: JobSettings
  readonly query: ExplainQuery
}

export interface Explained {
  readonly answer: EventExplanation | ComputedDecision | WhatIf | SimilarEvents
}

export type ExplainResult = Explained | RefusedTask
