/** Reads the fields of an alert that were found by looking (field-finder.ts). */
import { DecisionPoints } from '../event/decision-points.js'
import type { FoundFields } from './field-choice.js'

/** Reads the fields that were found. A field that is not needed or not found has no path. */
export interface FoundReaders {
  readonly time: DecisionPoints
  readonly id: DecisionPoints
  readonly related: DecisionPoints
  readonly kind: DecisionPoints
  /** No field is an entity, so all alerts may follow from each other. */
  readonly isEverywhere: boolean
}

export const nothingFound: FoundFields = { time: '', id: '', related: '', kind: [] }

export function readersOf(found: FoundFields | null, isEverywhere = false): FoundReaders {
  const at = (path: string, types?: 'kept'): DecisionPoints => new DecisionPoints(path === '' ? [] : [path], types)
  const { time, id, related, kind } = found ?? nothingFound
  return { time: at(time, 'kept'), id: at(id), related: at(related), kind: new DecisionPoints(kind), isEverywhere }
}

/** For alerts whose fields have known names. */
export const noFound: FoundReaders = readersOf(null)
