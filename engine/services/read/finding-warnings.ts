/**
 * The warnings of a job that follow from its findings (domain/event/finding.ts): one sentence for what happened, one
 * for what to do.
 *
 * 1. A sentence never holds an example: sentences are logged, and logs carry no bodies. The example stands beside it.
 */
import type { Warning } from '../../api/warning.js'
import { currentFindings, type FindingKind, type StoredFinding } from '../../domain/event/finding.js'

interface Sentences {
  /** What happened; `at` is " at `field`", or empty. */
  message(count: string, at: string): string
  readonly action: string
}

const sentences: Readonly<Record<FindingKind, Sentences>> = {
  invalid_utf8: {
    message: (count, at) => `${count} had bytes${at} that are not UTF-8. They are stored as U+FFFD.`,
    action: 'Let the sender write UTF-8, or name its charset in `Content-Type`.',
  },
  skipped_index: {
    message: (_count, at) => `An input reads no documents${at}, an index of its pattern.`,
    action: 'Leave the index out of `index_pattern`, or give it `_source` and the date field that the input reads by.',
  },
}

/** Findings as warnings. Of old ones nothing is told: they did not come again before the job's latest event. */
export function findingWarnings(findings: readonly StoredFinding[], lastEventMicros: number | null): Warning[] {
  return currentFindings(findings, lastEventMicros ?? 0).map(
    ({ kind, field, count, example, firstMicros, lastMicros }) => {
      const { message, action } = sentences[kind]
      return {
        type: kind,
        place: field === '' ? [] : [field],
        message: message(count === 1 ? '1 event' : `${count} events`, field === '' ? '' : ` at \`${field}\``),
        action,
        seen: { count, example, firstMicros, lastMicros },
      }
    },
  )
}
