/**
 * Replays in the job's actor: requests and reports. A replay itself runs elsewhere and changes nothing.
 *
 * 1. A row says what is to be done, so a restart runs an unfinished replay again.
 * 2. A report for a replay that is over, or gone, changes nothing.
 */
import { Refusal } from '../../errors.js'
import { replayBounds } from '../../domain/metrics/replay-tally.js'
import { eventIdOf } from '../../domain/event/event-id.js'
import type { Author } from '../../api/principal.js'
import type { AuditAction } from '../../api/audit-service.js'
import { decodeReplay, encodeReplay, isReplayOver, type ReplayRow, type ReplayTerms } from '../../store/replay-row.js'
import { jobRange, timeKey } from '../../store/tables.js'
import type { ActorDeps } from '../actor-deps.js'
import { addAuditEntry } from '../audit-outbox.js'
import type { Reads } from '../event-table.js'
import type { Message } from '../message.js'
import { authorOf } from '../message-author.js'
import { modelIdOf } from '../model-id.js'

export type ReplayCommand =
  | { readonly op: 'create'; readonly terms: ReplayTerms; readonly by: Author }
  | ({ readonly op: 'end'; readonly id: number } & Pick<ReplayRow, 'state' | 'message' | 'report'>)
  | { readonly op: 'cancel'; readonly id: number; readonly by: Author }

export function encodeReplayCommand(command: ReplayCommand): Buffer {
  return Buffer.from(JSON.stringify(command), 'utf8')
}

export function readReplay(reads: Reads, jobId: number, id: number): ReplayRow | null {
  const bytes = reads.get('replays', timeKey(jobId, id))
  return bytes === undefined ? null : decodeReplay(bytes)
}

/** The row after the command; null where there is none. @throws Refusal limit_exceeded. */
export function takeReplayCommand(deps: ActorDeps, { body, micros, applied }: Message): ReplayRow | null {
  const command = JSON.parse(body.toString('utf8')) as ReplayCommand
  const id = command.op === 'create' ? micros : command.id
  const row = readReplay(deps.store, deps.settings.id, id)
  if (applied) return row
  if (command.op === 'create') return create(deps, id, command)
  if (row === null || isReplayOver(row)) return row
  if (command.op === 'end') {
    const { state, message, report } = command
    return write(deps, { ...row, state, message, report, finishedMicros: micros })
  }
  addEntry(deps, row, { by: command.by, atMicros: micros }, 'replay cancelled')
  return write(deps, { ...row, state: 'cancelled', finishedMicros: micros })
}

function create(deps: ActorDeps, id: number, { terms, by }: Extract<ReplayCommand, { op: 'create' }>): ReplayRow {
  const { store, settings } = deps
  const rows = store.walk('replays', jobRange(settings.id)).map(({ value }) => decodeReplay(value))
  const waiting = rows.filter((row) => !isReplayOver(row)).length
  if (waiting >= replayBounds.waitingMax)
    throw new Refusal('limit_exceeded', `at most ${replayBounds.waitingMax} replays of a job wait at once`)
  const over = rows.filter(isReplayOver).sort((a, b) => a.id - b.id)
  for (const { id: old } of over.slice(0, Math.max(0, over.length + 1 - replayBounds.keptMax)))
    store.delete('replays', timeKey(settings.id, old))
  const none = { state: 'queued', message: '', finishedMicros: null, report: null } as const
  const row: ReplayRow = { id, terms, requestedBy: by.name, ...none }
  addEntry(deps, row, { by, atMicros: id }, 'replay requested')
  return write(deps, row)
}

function addEntry(
  { store, settings }: ActorDeps,
  { id, terms }: ReplayRow,
  { by, atMicros }: { readonly by: Author; readonly atMicros: number },
  action: AuditAction,
): void {
  const { version, against, training, threshold } = terms
  addAuditEntry(store, {
    by: authorOf(by),
    atMicros,
    action,
    object: { type: 'replay', id: eventIdOf(id), title: '' },
    job: { id: settings.id, title: settings.title },
    details: {
      model: version === null ? null : modelIdOf(settings.id, version),
      against: against === null ? null : modelIdOf(settings.id, against),
      threshold: threshold === null ? null : threshold / 100,
      ...(training.objective === undefined ? {} : { objective: training.objective }),
      ...(training.decisionPoints === undefined ? {} : { decision_points: training.decisionPoints }),
      ...(training.withoutAnalysts === undefined ? {} : { without_analysts: training.withoutAnalysts }),
    },
  })
}

function write({ store, settings, stats }: ActorDeps, row: ReplayRow): ReplayRow {
  store.put('replays', timeKey(settings.id, row.id), encodeReplay(row))
  stats.touch()
  return row
}
