/** The statistics of a sample, on a reader thread. */
import { limits } from '../../limits.js'
import { Refusal } from '../../errors.js'
import type { SampleStatistics } from '../../api/live/sample-service.js'
import { answerFields, idField } from '../../domain/event/input/answers.js'
import { eventsOfFile, FileError, type EventText } from '../../domain/event/input/event-file.js'
import { profilesOf, type FieldProfile } from './field-profile.js'
import { leakagesOf } from './leakage.js'
import { bucketFigures, suggestPoints } from './suggested-points.js'

const EXAMPLES = 5

function codesOf(profile: FieldProfile, events: number): readonly number[] | null {
  if (profile.kind === 'time' || profile.kind === 'text' || profile.kind === 'id') return null
  return [...profile.codes.subarray(0, Math.min(events, limits.sampleCodesMax))]
}

function refused(msg: string): Refusal {
  return new Refusal('invalid_body', msg, { issues: [{ loc: ['body'], msg, type: 'value_error' }] })
}

/** @throws Refusal invalid_body. */
function sampleOf(bytes: Uint8Array): EventText {
  try {
    return eventsOfFile(bytes, limits.sampleEventsMax)
  } catch (error) {
    if (error instanceof FileError) throw refused(`Input should be text: ${error.message}`)
    throw error
  }
}

/** @throws Refusal invalid_body. */
export function runSample(bytes: Uint8Array, points: readonly string[] | null): SampleStatistics {
  const { format, events: found, faults } = sampleOf(bytes)
  const events = found.map((event) => event.body())
  if (events.length === 0)
    throw refused('Input should have events: a JSON array, one JSON object per line, or CSV with a line of names')
  const profiles = profilesOf(events, points ?? [])
  const leakages = leakagesOf(profiles, events.length)
  const answers = answerFields(profiles)
  const choice = suggestPoints(profiles, { events: events.length, leakages, answers })
  const chosen = points ?? choice.points
  const figures = bucketFigures(
    chosen.flatMap((name) => profiles.filter((profile) => profile.name === name)),
    events.length,
  )
  return {
    format,
    events: events.length,
    skipped: faults.length,
    fields: profiles.map((profile) => ({
      field: profile.name,
      kind: profile.kind,
      events: profile.events,
      values: profile.values.size,
      examples: profile.examples(EXAMPLES),
      suggested: choice.points.includes(profile.name),
      leakage: leakages.get(profile.name) ?? null,
      reason: choice.reasons.get(profile.name) ?? '',
      codes: codesOf(profile, events.length),
    })),
    decisionPoints: [...chosen],
    answersField: answers[0] ?? null,
    idField: idField(profiles, events.length),
    ...figures,
  }
}
