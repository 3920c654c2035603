/**
 * Limits of an answer: how long it may take to write, and how large it may become.
 *
 * 1. An answer is written one document after another, so that one over a limit ends there.
 */
import { Refusal } from '../../errors.js'
import { limits } from '../../limits.js'
import type { AggregationJson } from '../../domain/query/collector.js'
import type { TaskClock } from '../readers/task-frame.js'
import { writeJson } from '../../domain/event/json.js'

export function queryTimedOut(): Refusal {
  return new Refusal(
    'query_timeout',
    `the query took longer than ${limits.queryMsMax} ms; narrow its jobs, dates or filters`,
  )
}

/** Events that were found in time may be written a little later. @throws Refusal query_timeout. */
export function mustHaveTime({ nowMs, deadlineMs, cancelled }: TaskClock): void {
  if (cancelled.isCancelled) throw new Refusal('query_timeout', 'the query was given up')
  if (nowMs() >= deadlineMs + limits.queryGraceMs) throw queryTimedOut()
}

/** A JSON list of one document for each reference. @throws Refusal query_too_large, query_timeout. */
export function listText<T>(refs: readonly T[], clock: TaskClock, documentOf: (ref: T) => AggregationJson): string {
  const texts: string[] = []
  let length = 0
  for (const ref of refs) {
    mustHaveTime(clock)
    const text = writeJson(documentOf(ref))
    length += text.length
    if (length > limits.queryResultBytesMax) {
      throw new Refusal(
        'query_too_large',
        `an answer has at most ${limits.queryResultBytesMax} bytes; ask for fewer events, or for less of each`,
      )
    }
    texts.push(text)
  }
  return `[${texts.join(',')}]`
}
