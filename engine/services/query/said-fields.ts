/**
 * What people said of an event, as fields of queries: who voted, for which labels, and what was noted.
 *
 * Owns: the values. Leaves out: where votes and notes are read (record-fields.ts, lists/said-rows.ts).
 */
import type { ScalarValue } from '../../domain/event/point-value.js'
import type { Label } from '../../domain/job/job.js'
import type { StoredVote } from '../../store/ballot-row.js'
import type { StoredNote } from '../../store/note-row.js'

export type SaidName = 'voter' | 'voted' | 'note'

/** The votes that count for an event: its own, and those on its bucket by people without a vote on the event. */
export function votesOfEvent(own: readonly StoredVote[], ofBucket: readonly StoredVote[]): readonly StoredVote[] {
  if (own.length === 0) return ofBucket
  const voters = new Set(own.map(({ analyst }) => analyst))
  return [...own, ...ofBucket.filter(({ analyst }) => !voters.has(analyst))]
}

/** The values of a field. Notes of people and agents come before those of votes. */
export function saidValues(
  name: SaidName,
  votes: readonly StoredVote[],
  notes: readonly StoredNote[],
  labels: readonly Label[],
): readonly ScalarValue[] {
  switch (name) {
    case 'voter':
      return [...new Set(votes.map(({ analyst }) => analyst))]
    case 'voted':
      return [...new Set(votes.flatMap(({ label }) => labels[label]?.name ?? []))]
    case 'note':
      return [
        ...notes.map(({ notes: note }) => (typeof note === 'string' ? note : JSON.stringify(note))),
        ...votes.flatMap(({ closingNotes = '' }) => (closingNotes === '' ? [] : closingNotes)),
      ]
  }
}
