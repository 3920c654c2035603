/**
 * Commands about the models of a job: rolling back, and starting, promoting and dropping a challenger.
 *
 * 1. A command is refused before it has changed anything. One that was applied in an earlier run of its turn is only
 *    answered.
 * 2. Each has one entry in the audit log, in its commit.
 */
import { Refusal } from '../../errors.js'
import type { RegistryRow } from '../../store/registry-row.js'
import type { ActorDeps } from '../actor-deps.js'
import { addAuditEntry } from '../audit-outbox.js'
import { authorOf } from '../message-author.js'
import type { Message } from '../message.js'
import { modelIdOf } from '../model-id.js'
import { dropTrial, mustChallenge, promoteTrial, startTrial } from './challengers.js'
import { decodeModelCommand, type ActiveChange, type ModelCommand } from './model-command.js'
import { makeActive, readRegistryRow, rowsNow } from './registry.js'
import type { By } from './trial-entries.js'

/**
 * @throws Refusal model_not_found, model_not_kept, model_active, model_misfit, challenger_not_found,
 * challenger_refused.
 */
export function takeModelCommand(deps: ActorDeps, message: Message): ActiveChange {
  const command = decodeModelCommand(message.body)
  if (command.op === 'roll_back') return rollBack(deps, command, message)
  const from = deps.stats.row.modelVersion
  if (message.applied) return { from, to: from }
  const who = { by: command.by, atMicros: message.micros }
  if (command.op === 'challenge') challenge(deps, command.version, who)
  else if (command.op === 'promote') promoteTrial(deps, who)
  else dropTrial(deps, who)
  return { from, to: deps.stats.row.modelVersion }
}

function challenge(deps: ActorDeps, version: number, who: By): void {
  const row = readRegistryRow(deps.store, deps.settings.id, version)
  if (row === null) throw notFound(deps, version)
  mustChallenge(deps)
  mustServe(deps, row)
  startTrial(deps, version, who)
}

function rollBack(
  deps: ActorDeps,
  { version, by }: Extract<ModelCommand, { op: 'roll_back' }>,
  { micros, applied }: Message,
): ActiveChange {
  const { store, settings, stats } = deps
  const { id, title } = settings
  const from = stats.row.modelVersion
  if (applied) return { from: activeAt(rowsNow(deps), micros), to: from }
  const target = version === null ? latestBefore(rowsNow(deps), from) : readRegistryRow(store, id, version)
  if (target === null) throw notFound(deps, version)
  mustServe(deps, target)
  addAuditEntry(store, {
    atMicros: micros,
    by: authorOf(by),
    action: 'model rolled back',
    object: { type: 'model', id: modelIdOf(id, target.version), title: '' },
    job: { id, title },
    changes: { model: { before: from === 0 ? null : modelIdOf(id, from), after: modelIdOf(id, target.version) } },
  })
  makeActive(deps, target.version, { why: 'rolled_back', by: by.name, atMicros: micros })
  return { from, to: target.version }
}

/** The model that was active until that time; 0 for none. */
function activeAt(rows: readonly RegistryRow[], micros: number): number {
  return rows.find(({ spans }) => spans.some(({ toMicros }) => toMicros === micros))?.version ?? 0
}

/** The kept model that was active last, apart from the active one. */
function latestBefore(rows: readonly RegistryRow[], active: number): RegistryRow | null {
  const ended = rows.flatMap((row) => {
    const last = row.spans.at(-1)?.toMicros
    return row.version === active || !row.isKept || last == null ? [] : [{ row, last }]
  })
  return ended.sort((a, b) => b.last - a.last)[0]?.row ?? null
}

/** @throws Refusal where the model cannot decide the job's events, or does so already. */
export function mustServe({ settings, stats, arrivals }: ActorDeps, row: RegistryRow): void {
  const id = modelIdOf(settings.id, row.version)
  if (row.version === stats.row.modelVersion)
    throw new Refusal('model_active', `${id} is the model in use`, { details: 'name another model of the job' })
  if (!row.isKept) throw notKept(id, row)
  if (row.fingerprint !== arrivals.points.fingerprint)
    throw new Refusal('model_misfit', `${id} was trained on other decision points than the job has now`, {
      details: 'set the decision points back first, or train the job',
    })
}

/** Only the figures of the model are kept. */
export function notKept(id: string, { erasedMicros }: Pick<RegistryRow, 'erasedMicros'>): Refusal {
  return erasedMicros === undefined
    ? new Refusal('model_not_kept', `only the figures of ${id} are kept, not the model`, {
        details: 'the setting models_kept says how many models a job keeps',
      })
    : new Refusal('model_not_kept', `${id} was erased: it was trained with events that were erased since`, {
        details: 'name a later model, or train the job',
      })
}

function notFound({ settings }: ActorDeps, version: number | null): Refusal {
  return version === null
    ? new Refusal('model_not_found', 'no other model of the job was in use before', {
        details: 'train the job, or name a model that is kept',
      })
    : new Refusal('model_not_found', 'model not found', { details: `the job ${settings.id} has no model of that id` })
}
