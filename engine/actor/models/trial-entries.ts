/** The entries of the audit log about challengers: each change has one, with the counts and the verdict. */
import type { AuditAction } from '../../api/audit-service.js'
import type { Author } from '../../api/principal.js'
import type { ActorDeps } from '../actor-deps.js'
import { addAuditEntry } from '../audit-outbox.js'
import { authorOf } from '../message-author.js'
import { modelIdOf } from '../model-id.js'
import { verdictOf } from './trial.js'

/** Who does it, and when. `place`: of the entry in the audit log, beside that of the message. */
export interface By {
  readonly by: Author
  readonly atMicros: number
  readonly place?: number
}

/** The trial ends, with its entry. */
export function endTrial(deps: ActorDeps, action: AuditAction, who: By): void {
  addTrialEntry(deps, action, who)
  deps.trial.end()
}

/** The entry of a change, with the counts and the verdict; none without a trial. */
export function addTrialEntry(
  { store, settings, trial }: ActorDeps,
  action: AuditAction,
  { by, atMicros, place = 0 }: By,
): void {
  const { row } = trial
  if (row === null) return
  const { id, title } = settings
  const entry = {
    atMicros,
    by: authorOf(by),
    action,
    object: { type: 'model', id: modelIdOf(id, row.version), title: '' },
    job: { id, title },
    details: {
      champion: modelIdOf(id, row.champion),
      events: row.events,
      disagreements: row.differ,
      challenger_right: row.counts.wins,
      champion_right: row.counts.losses,
      neither_right: row.counts.neither,
      verdict: verdictOf(row),
      automatic: row.auto,
    },
  } as const
  addAuditEntry(store, entry, place)
}
