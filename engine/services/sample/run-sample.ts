/** The statistics of a sample, on a reader thread. */
import { limits } from '../../limits.js'
import { Refusal } from '../../errors.js'
import type { SampleStatistics } from '../../api/live/sample-service.js'
import { profilesOf, type FieldProfile } from './field-profile.js'
import { sampleEvents } from './sample-events.js'
import { bucketFigures, suggestPoints } from './suggested-points.js'

const EXAMPLES = 5

function codesOf(profile: FieldProfile, events: number): readonly number[] | null {
  if (profile.kind === 'time' || profile.kind === 'text' || profile.kind === 'id') return null
  return [...profile.codes.subarray(0, Math.min(events, limits.sampleCodesMax))]
}

/** @throws Refusal invalid_body. */
export function runSample(bytes: Uint8Array, points: readonly string[] | null): SampleStatistics {
  const { format, events, skipped } = sampleEvents(bytes)
  if (events.length === 0) {
    const msg = 'Input should have events: a JSON array, one JSON object a line, or CSV with a line of names'
    throw new Refusal('invalid_body', msg, { issues: [{ loc: ['body'], msg, type: 'value_error' }] })
  }
  const profiles = profilesOf(events)
  const choice = suggestPoints(profiles, events.length)
  const chosen = points ?? choice.points
  const figures = bucketFigures(
    chosen.flatMap((name) => profiles.filter((profile) => profile.name === name)),
    events.length,
  )
  return {
    format,
    events: events.length,
    skipped,
    fields: profiles.map((profile) => ({
      field: profile.name,
      kind: profile.kind,
      events: profile.events,
      values: profile.values.size,
      examples: profile.examples(EXAMPLES),
      suggested: choice.points.includes(profile.name),
      reason: choice.reasons.get(profile.name) ?? '',
      codes: codesOf(profile, events.length),
    })),
    decisionPoints: [...chosen],
    ...figures,
  }
}
