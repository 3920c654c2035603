/** What a model was made from: with the log up to that position, another training gives the same bytes (S17). */
import type { Objective } from '../job/objective.js'

/** `requested`: by a person. `scheduled`: by the job's schedule. `challenger`: to decide in shadow. */
export type TrainingReason = 'requested' | 'scheduled' | 'challenger'

export interface ModelOrigin {
  readonly why: TrainingReason
  /** Who requested it. */
  readonly by: string
  /** The position in the log: messages up to this time were applied in the snapshot, microseconds. */
  readonly throughMicros: number
  /** By label: examples of the training. */
  readonly labelCounts: readonly number[]
  readonly objective: Objective
  readonly points: readonly string[]
  readonly seed: number
  /** Analysts whose votes were left out. */
  readonly withoutAnalysts: readonly string[]
}

/** How a training differs from the settings of its job. */
export interface TrainingTerms {
  readonly objective?: Objective
  readonly seed?: number
  readonly withoutAnalysts?: readonly string[]
}

/** `trained`: with its installation. */
export type ActivationReason = 'trained' | 'rolled_back' | 'promoted'

/** A time in which the model decided. */
export interface ActiveSpan {
  readonly fromMicros: number
  /** Null while it decides. */
  readonly toMicros: number | null
  readonly why: ActivationReason
  /** Who made it active. */
  readonly by: string
}

export const modelBounds = {
  /** Models in memory, of all jobs on all threads that decide events, unless a setting says otherwise. */
  bytesInMemory: 256 * 2 ** 20,
  /** Models of a job whose bytes are kept: advanced_settings.models_kept. */
  keptDefault: 20,
  keptMin: 2,
  keptMax: 1_000,
  /** Times at which one model was active. */
  spansMax: 64,
  /** Models on one page of the list. */
  pageMax: 200,
  /** Analysts whose votes one training leaves out. */
  withoutAnalystsMax: 100,
} as const

/** True where a scheduled training brings a challenger. */
export function championChallengerOf(advancedSettings: Readonly<Record<string, unknown>>): boolean {
  return advancedSettings.champion_challenger === true
}

/** How many models keep their bytes; the default where the setting is missing or out of bounds. */
export function modelsKeptOf(advancedSettings: Readonly<Record<string, unknown>>): number {
  const { keptDefault, keptMin, keptMax } = modelBounds
  const kept = advancedSettings.models_kept
  return typeof kept === 'number' && kept >= keptMin && kept <= keptMax ? kept : keptDefault
}
