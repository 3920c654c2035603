/** Which labels are protected where nobody has said so. */
import { hasClusters, type ShownJob } from '../../state/jobs.js'

const usual = { triage: ['Escalate', 'Drop', 'Investigate'], cause: ['Root cause', 'Symptom', 'Irrelevant'] } as const

/** True if the job has labels of its own: only people know which of them must never be settled. */
export function hasOwnLabels(of: ShownJob): boolean {
  return usual[hasClusters(of) ? 'cause' : 'triage'].some((name, at) => of.labels[at] !== name)
}
