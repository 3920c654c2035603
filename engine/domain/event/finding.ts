/**
 * Findings: what the service had to guess, repair or leave out in the events of a job, with a count and the first
 * example of each (S30 to S46). People see them as warnings of the job (services/read/finding-warnings.ts).
 *
 * Owns: the kinds, and adding findings up. Leaves out: the row (store/finding-row.ts), sentences (finding-warnings.ts).
 *
 * 1. A finding is counted by its kind and its field. A job has at most FINDINGS_MAX of them; further fields of a kind
 *    are counted together, without a name.
 * 2. An example is cut, and is only shown to whoever may read events.
 */
import { cutText } from './input/cut-text.js'
import { fileFindingKinds } from './input/file-findings.js'

/** Kinds of findings, with the type of their warning. A new kind gets its sentences in finding-warnings.ts. */
export const findingKinds = [
  ...fileFindingKinds,
  /** An input does not read an index of its pattern (S39). */
  'skipped_index',
  /** A part of a request could not be read, or not be stored, while others were (S36). */
  'refused_part',
  /** An id was given twice in one request, for different events: the later one got an id of its own (S32). */
  'repeated_id',
  /** A body had another id than the path of its request, which counts (S43). */
  'ignored_id',
  /** A field of the event's own time holds none that can be read, and no further field has one (S35). */
  'unread_time',
  /** The event's own time is more than an hour ahead of the service's clock (S35). */
  'time_ahead',
  /** An event took the place of another one with its id, and is no new version of it (S32). */
  'replaced_event',
] as const
export type FindingKind = (typeof findingKinds)[number]

/** What happened `count` times. */
export interface Finding {
  readonly kind: FindingKind
  /** The field or the source that it is about; '' for the whole event. */
  readonly field: string
  readonly count: number
  /** As it came: a value, an id, a line. */
  readonly example: string
}

/** As it is stored, with the times of the first and the last one in microseconds. */
export interface StoredFinding extends Finding {
  readonly firstMicros: number
  readonly lastMicros: number
}

export const FINDINGS_MAX = 64
export const EXAMPLE_CHARS_MAX = 200
/** Findings that did not come again for so long, by the times of the job's events, are not told any more. */
export const FINDING_LIFE_MICROS = 7 * 86_400_000_000

/** Adds findings of the time `micros`. Those that are too old go. */
export function withFindings(
  stored: readonly StoredFinding[],
  found: readonly Finding[],
  micros: number,
): readonly StoredFinding[] {
  const all = new Map(currentFindings(stored, micros).map((one) => [keyOf(one.kind, one.field), one]))
  for (const { kind, field, count, example } of found) {
    const own = keyOf(kind, field)
    const key = all.has(own) || all.size < FINDINGS_MAX ? own : keyOf(kind, '')
    const before = all.get(key)
    all.set(key, {
      kind,
      field: before?.field ?? (key === own ? field : ''),
      count: (before?.count ?? 0) + count,
      example: before?.example ?? cutExample(example),
      firstMicros: before?.firstMicros ?? micros,
      lastMicros: micros,
    })
  }
  return [...all.values()]
}

/** Findings that are still told at the time `micros`. */
export function currentFindings(stored: readonly StoredFinding[], micros: number): readonly StoredFinding[] {
  return stored.filter(({ lastMicros }) => micros - lastMicros < FINDING_LIFE_MICROS)
}

export function cutExample(example: string): string {
  return cutText(example, EXAMPLE_CHARS_MAX)
}

function keyOf(kind: FindingKind, field: string): string {
  return `${kind} ${field}`
}
