/**
 * The slots of a list of labels to ask for: which of them the rule fills, which are drawn, which hunt for threats.
 *
 * 1. Which slot is next follows from the number of votes so far. So single requests get the same slots as a long list.
 * 2. One slot in ten is uniform by event: these votes are a fair sample of the stream that nobody has answered yet. Of
 *    the first sixteen every second is: before the first model nothing else learns so much (bench/NOTES.md).
 */

/** What picked an event that was voted on. */
export const pickers = ['rule', 'uniform', 'hunt', 'dissent', 'flipped', 'queue', 'second_look'] as const

/**
 * `rule`: the most valuable label. `uniform`: drawn by event. `hunt`: unlike everything labelled. `dissent`: analysts
 * disagree. `flipped`: the consensus changed. `queue`: the queue of people. `second_look`: a vote that a model doubts.
 */
export type PickedBy = (typeof pickers)[number]

export type Slot = Extract<PickedBy, 'rule' | 'uniform' | 'hunt'>

const period = 10
const uniformAt = 9
const huntsAt: readonly number[] = [3, 7]
/** Votes before which every second slot is uniform. */
const coldVotes = 16

/** The slot after so many votes. `findsLabel`: all votes are of one label, and a model waits for another one. */
export function slotAt(votes: number, findsLabel = false): Slot {
  const at = votes % period
  if (findsLabel) return at === uniformAt ? 'uniform' : 'hunt'
  if (votes < coldVotes) return at % 2 === 1 ? 'uniform' : 'rule'
  if (at === uniformAt) return 'uniform'
  return huntsAt.includes(at) ? 'hunt' : 'rule'
}
