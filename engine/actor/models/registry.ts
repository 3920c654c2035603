/**
 * The models of a job: making one active, dropping the bytes of old ones.
 *
 * Owns: the rows of `registry`, and which bytes `models` has. Leaves out: trainings (services/training/), installing
 * (install.ts), decisions (job-model.ts).
 *
 * 1. A version never changes: a message that brings a version again changes nothing.
 * 2. One model is active at a time, and its span has no end. Making another active is one commit with the knowledge
 *    base that it was trained on, and closes every gate.
 * 3. The active model, the challenger and the newest models keep their bytes. Figures of all models stay.
 * 4. Ballots keep their changes from the oldest kept model on, so a model that is made active again finds its
 *    knowledge base (learn/knowledge-base.ts).
 * 5. A model that was trained with events that were erased since is marked. Where the active model is not marked, no
 *    marked model keeps its bytes, so nothing brings back what was erased.
 */
import { must } from '../../assert.js'
import { theService } from '../../api/principal.js'
import { modelBounds, modelsKeptOf, type ActivationReason } from '../../domain/learn/model-origin.js'
import { decodeRegistry, encodeRegistry, type RegistryRow } from '../../store/registry-row.js'
import { votesBehind } from '../../domain/metrics/evidence.js'
import { decodeModel, nothingSinceTraining } from '../../store/rows.js'
import { jobRange, modelKey } from '../../store/tables.js'
import type { ActorDeps } from '../actor-deps.js'
import { addAuditEntry } from '../audit-outbox.js'
import type { Reads } from '../event-table.js'
import { authorOf } from '../message-author.js'
import { modelIdOf } from '../model-id.js'
import { catchUp } from '../reprocess-tasks.js'
import { endTrial } from './trial-entries.js'

/** In the audit log, behind the certificates of gates and the verdict on a challenger. */
const ERASED_PLACE = 2_000

export function readRegistryRow(reads: Reads, jobId: number, version: number): RegistryRow | null {
  const bytes = reads.get('registry', modelKey(jobId, version))
  return bytes === undefined ? null : decodeRegistry(bytes)
}

export interface Activation {
  readonly why: ActivationReason
  readonly by: string
  readonly atMicros: number
}

/** Makes a kept model the one that decides, from the next event on. Stored events without a decision follow. */
export function makeActive(deps: ActorDeps, version: number, { why, by, atMicros }: Activation): void {
  const { store, settings, stats, buckets, model: active, gates, cause } = deps
  const { id } = settings
  const { row, model } = decodeModel(must(store.get('models', modelKey(id, version)), 'the bytes of a kept model'))
  const before = readRegistryRow(store, id, stats.row.modelVersion)
  if (before !== null) putRow(deps, withSpanEnded(before, atMicros))
  const entry = must(readRegistryRow(store, id, version), 'the row of a kept model')
  const spans = [...entry.spans, { fromMicros: atMicros, toMicros: null, why, by }]
  putRow(deps, { ...entry, spans: spans.slice(-modelBounds.spansMax) })
  const modelVotes = votesBehind(row, settings.labels.length)
  stats.change({ modelVersion: version, modelVotes, trainedThroughSeq: row.throughSeq, ...nothingSinceTraining() })
  active.use(row, model)
  gates.modelInstalled(version, atMicros)
  cause?.learn()
  buckets.forgetDecisions()
  deps.trial.championChanged(version, atMicros)
  dropErased(deps, atMicros)
  catchUp(deps, atMicros)
}

/** Events from that ingest time on were erased: marks the models that were trained while they were stored (5). */
export function markErased(deps: ActorDeps, fromMicros: number, atMicros: number): void {
  for (const row of rowsNow(deps)) {
    const throughMicros = row.origin?.throughMicros ?? row.trainedMicros
    if (row.isKept && row.erasedMicros === undefined && throughMicros >= fromMicros)
      putRow(deps, { ...row, erasedMicros: atMicros })
  }
  deps.stats.change({ erasedMicros: atMicros })
  dropErased(deps, atMicros)
}

/** Drops the bytes of marked models, where the active one is not marked (5). */
export function dropErased(deps: ActorDeps, atMicros: number): void {
  const { store, settings, stats, trial } = deps
  const { id, title } = settings
  const { modelVersion } = stats.row
  if (stats.row.erasedMicros === undefined || isMarked(readRegistryRow(store, id, modelVersion))) return
  const marked = rowsNow(deps).filter((row) => row.isKept && isMarked(row))
  if (marked.length === 0) return
  for (const row of marked) {
    if (trial.row?.version === row.version)
      endTrial(deps, 'challenger dropped', { by: theService, atMicros, place: ERASED_PLACE })
    store.delete('models', modelKey(id, row.version))
    putRow(deps, { ...row, isKept: false })
  }
  const entry = {
    atMicros,
    by: authorOf(theService),
    action: 'models erased',
    object: { type: 'job', id: String(id), title },
    job: { id, title },
    details: {
      models: marked.map(({ version }) => modelIdOf(id, version)),
      model_in_use: modelVersion === 0 ? null : modelIdOf(id, modelVersion),
      statement: 'they were trained with events that were erased since, so they cannot decide any more',
    },
  } as const
  addAuditEntry(store, entry, ERASED_PLACE + 1)
}

function isMarked(row: RegistryRow | null): boolean {
  return row?.erasedMicros !== undefined
}

/** Drops the bytes of models beyond the bound (3). `rows`: of all models. */
export function dropOld(deps: ActorDeps, rows: readonly RegistryRow[]): void {
  const { store, settings, stats } = deps
  const serving = [stats.row.modelVersion, deps.trial.row?.version]
  const kept = rows.filter(({ isKept }) => isKept).sort((a, b) => b.version - a.version)
  const newest = kept.slice(0, modelsKeptOf(settings.advancedSettings))
  let keepFromSeq = stats.row.trainedThroughSeq
  for (const row of kept) {
    if (serving.includes(row.version) || newest.includes(row)) {
      keepFromSeq = Math.min(keepFromSeq, row.throughSeq)
      continue
    }
    store.delete('models', modelKey(settings.id, row.version))
    putRow(deps, { ...row, isKept: false })
  }
  stats.change({ keepFromSeq })
}

/** The rows of all models, with those that this turn wrote. */
export function rowsNow({ store, settings }: ActorDeps): RegistryRow[] {
  return store
    .walk('registry', jobRange(settings.id))
    .map(({ value }) => decodeRegistry(value))
    .sort((a, b) => a.version - b.version)
}

function withSpanEnded(row: RegistryRow, atMicros: number): RegistryRow {
  const last = row.spans.at(-1)
  if (last === undefined || last.toMicros !== null) return row
  return { ...row, spans: [...row.spans.slice(0, -1), { ...last, toMicros: atMicros }] }
}

/** Writes the row of a model. */
export function putRow({ store, settings, stats }: ActorDeps, row: RegistryRow): void {
  store.put('registry', modelKey(settings.id, row.version), encodeRegistry(row))
  stats.touch()
}
