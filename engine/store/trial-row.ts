/** The rows of `trials`, one for a job with a challenger, and of `shadows`, one for each disagreement. */
import { assert } from '../assert.js'
import { decodeJsonRow, encodeJsonRow } from './json-row.js'

/** Answered disagreements, by who was right. */
export interface TrialCounts {
  readonly wins: number
  readonly losses: number
  readonly neither: number
}

export interface TrialRow {
  /** Of the challenger. */
  readonly version: number
  /** The version that decides. */
  readonly champion: number
  readonly sinceMicros: number
  readonly by: string
  /** It is promoted or dropped by the verdict alone. */
  readonly auto: boolean
  /** Events that both have decided, and differently. */
  events: number
  differ: number
  /** Rows in `shadows`. */
  rows: number
  counts: TrialCounts
  /** The part of `counts` whose rows are gone. */
  gone: TrialCounts
}

export const noCounts: TrialCounts = { wins: 0, losses: 0, neither: 0 }

export function encodeTrial(row: TrialRow): Buffer {
  return encodeJsonRow(row)
}

export function decodeTrial(value: Uint8Array): TrialRow {
  return decodeJsonRow(value) as TrialRow
}

/** Who was right, by number on disk. */
export const outcomes = ['open', 'wins', 'losses', 'neither'] as const
export type TrialOutcome = (typeof outcomes)[number]

/** Labels of both: indices, -1 for no decision. */
export interface ShadowRow {
  readonly champion: number
  readonly challenger: number
  readonly outcome: TrialOutcome
}

const VERSION = 1
const NONE = 255

/** | 0 version | 1 label of the champion u8 | 2 label of the challenger u8 | 3 outcome u8 | 255: no label */
export function encodeShadow({ champion, challenger, outcome }: ShadowRow): Buffer {
  const byte = (label: number): number => (label < 0 ? NONE : label)
  return Buffer.of(VERSION, byte(champion), byte(challenger), outcomes.indexOf(outcome))
}

export function decodeShadow(value: Uint8Array): ShadowRow {
  assert(value[0] === VERSION, 'the shadow row has a version that this code knows')
  const label = (byte: number): number => (byte === NONE ? -1 : byte)
  const [, champion, challenger, outcome] = value as unknown as [number, number, number, number]
  return { champion: label(champion), challenger: label(challenger), outcome: outcomes[outcome] ?? 'open' }
}

/** The counts with one answer more, or less. */
export function withOutcome(counts: TrialCounts, outcome: TrialOutcome, sign: 1 | -1): TrialCounts {
  return outcome === 'open' ? counts : { ...counts, [outcome]: counts[outcome] + sign }
}
