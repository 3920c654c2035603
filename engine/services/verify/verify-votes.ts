/** The votes of a job: their rows, and the ballots that add them up. */
import { limits } from '../../limits.js'
import { bucketIdText } from '../../domain/event/bucket-key.js'
import { addEvidence, isLabel } from '../../domain/learn/consensus.js'
import { decodeVotes, type BallotRow } from '../../store/ballot-row.js'
import { decodeHeader } from '../../store/event-record.js'
import { decodeFirstAnswer } from '../../store/first-answer-row.js'
import { decodePick } from '../../store/pick-row.js'
import { timeKey, timeOfKey, voteOfKey } from '../../store/tables.js'
import { subjectOf } from '../../actor/event-table.js'
import { truthOf } from '../../actor/votes/first-answers.js'
import { evidenceOf, noChange, type VotesChange } from '../../actor/votes/vote-rows.js'
import type { ShardCheck } from './verify-shard.js'

const LABELS = limits.labelsPerJob

/** Adds up the rows of votes, and compares that with the ballots. */
export function checkVotes(shard: ShardCheck, jobId: number, ballots: ReadonlyMap<string, BallotRow>): void {
  const sums = new Map<string, VotesChange>()
  for (const entry of shard.entries('votes', jobId)) {
    const { subject, micros } = voteOfKey(entry.key)
    const votes = shard.read('votes', entry, decodeVotes)
    if (votes === null) continue
    if (!votes.every(({ label }) => isLabel(label) && label < LABELS))
      shard.note('votes', entry.key, 'has a vote for a label that does not exist')
    const name = bucketIdText(subject)
    const sum = sums.get(name) ?? noChange(LABELS)
    const all = sum.votes.map((count, at) => count + votes.filter(({ label }) => label === at).length)
    sums.set(name, { ...addEvidence(sum, evidenceOf(subject, { micros, votes }, LABELS), 1), votes: all })
    if (!ballots.has(name)) shard.note('votes', entry.key, 'is of no ballot')
  }
  checkFirstAnswers(shard, jobId)
  for (const entry of shard.entries('picks', jobId)) shard.read('picks', entry, decodePick)
  for (const [name, { votes, counts, ties }] of ballots) {
    const sum = sums.get(name) ?? noChange(LABELS)
    if (`${votes.join()} ${counts.join()} ${ties}` !== `${sum.votes.join()} ${sum.counts.join()} ${sum.ties}`)
      shard.note('ballots', Buffer.from(name, 'latin1'), 'does not add up its votes')
  }
}

/** A first answer is of an event, and its truth follows from the votes on that. */
function checkFirstAnswers(shard: ShardCheck, jobId: number): void {
  for (const entry of shard.entries('answers', jobId)) {
    const row = shard.read('answers', entry, decodeFirstAnswer)
    const micros = timeOfKey(entry.key)
    const record = shard.get('events', timeKey(jobId, micros))
    if (record === undefined) shard.note('answers', entry.key, 'is of no event')
    if (row === null || record === undefined) continue
    const header = shard.read('events', { key: entry.key, value: record }, decodeHeader)
    if (header === null) continue
    const event = { jobId, subject: subjectOf(header, micros), micros, labelCount: LABELS }
    if (row.label >= LABELS || row.truth !== truthOf(shard, event))
      shard.note('answers', entry.key, 'does not say what the votes on its event say')
  }
}
