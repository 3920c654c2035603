/** Explanations of what a TestShard has stored, without threads. */
import type { WhatIf } from '../../../engine/api/explanation-service.js'
import type { JobSettings } from '../../../engine/domain/job/job.js'
import { explainEvent } from '../../../engine/services/explain/explained-event.js'
import { JobAt } from '../../../engine/services/explain/job-at.js'
import { similarEvents } from '../../../engine/services/explain/similar-events.js'
import { decideBody } from '../../../engine/services/explain/what-if.js'
import { CancelCell, nowMs } from '../../../engine/services/readers/task-frame.js'
import { BodyCodec } from '../../../engine/store/body-codec.js'
import { sectionNames, type TestShard } from './shard.js'

let directories = 0
const directoryOf = new WeakMap<TestShard, string>()

/** The job in the shard's latest commit. */
export function jobAt(shard: TestShard, job: JobSettings): JobAt {
  let directory = directoryOf.get(shard)
  if (directory === undefined) directoryOf.set(shard, (directory = `shard ${++directories}`))
  return new JobAt(job, directory, shard.environment, new BodyCodec(shard.environment))
}

export function explained(shard: TestShard, job: JobSettings, eventId: string) {
  return explainEvent(jobAt(shard, job), eventId)
}

/** What the body is decided as; the request may say more. */
export function decidedBody(shard: TestShard, job: JobSettings, rawBody: unknown, more: object = {}): WhatIf {
  const body = Buffer.from(JSON.stringify({ raw_body: rawBody, ...more }))
  return decideBody(jobAt(shard, job), body, { serviceNames: sectionNames, nowMicros: shard.take() })
}

export function similarTo(shard: TestShard, job: JobSettings, eventId: string, count: number) {
  const clock = { nowMs, deadlineMs: Number.POSITIVE_INFINITY, cancelled: new CancelCell() }
  return similarEvents(jobAt(shard, job), { eventId, count }, clock)
}
