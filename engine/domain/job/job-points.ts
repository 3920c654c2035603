/** The decision points of a job, with its rule of what is equal (S33). */
import { DecisionPoints, fingerprintOf } from '../event/decision-points.js'
import type { Types } from '../event/plain-value.js'
import type { JobSettings } from './job.js'

type Points = Pick<JobSettings, 'decisionPoints' | 'advancedSettings'>

/** `strict`: the number 4625 and the text "4625" are two values in the job. */
export function typesOf({ advancedSettings }: Pick<JobSettings, 'advancedSettings'>): Types {
  return advancedSettings.strict_types === true ? 'strict' : 'loose'
}

export function pointsOf(job: Points): DecisionPoints {
  return new DecisionPoints(job.decisionPoints, typesOf(job))
}

/** As fingerprintOf. */
export function pointsFingerprint(job: Points): number {
  return fingerprintOf(job.decisionPoints, typesOf(job))
}
