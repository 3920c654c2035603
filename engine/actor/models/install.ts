/** A training has ended: its model comes into the registry, and decides, or is a challenger. */
import type { RegistryRow } from '../../store/registry-row.js'
import { decodeModel, encodeModel, type ModelRow } from '../../store/rows.js'
import { modelKey } from '../../store/tables.js'
import type { ActorDeps } from '../actor-deps.js'
import type { Message } from '../message.js'
import { bringsChallenger, startTrial } from './challengers.js'
import { dropErased, dropOld, makeActive, putRow, readRegistryRow, rowsNow } from './registry.js'

/** A version that is there already is not installed again: a version never changes. */
export function installModel(deps: ActorDeps, { body, micros, applied }: Message): null {
  const { store, settings, stats } = deps
  const { id } = settings
  const { row, model } = decodeModel(body)
  if (applied || readRegistryRow(store, id, row.version) !== null) return null
  store.put('models', modelKey(id, row.version), encodeModel(row, model))
  const entry = registryRowOf(row, model.length, micros)
  const { erasedMicros } = stats.row
  // The training had begun before the erasure, so it may have read what was erased.
  const isOlder = erasedMicros !== undefined && (row.origin?.throughMicros ?? row.trainedMicros) < erasedMicros
  putRow(deps, isOlder ? { ...entry, erasedMicros } : entry)
  stats.change({ modelVersions: [...stats.row.modelVersions, row.version] })
  const { why, by } = row.origin ?? { why: 'requested', by: '' }
  if (bringsChallenger(deps, row)) {
    const who = { by: { kind: 'service', name: by }, atMicros: micros }
    startTrial(deps, row.version, who, why === 'scheduled')
    dropErased(deps, micros)
  } else makeActive(deps, row.version, { why: 'trained', by, atMicros: micros })
  dropOld(deps, rowsNow(deps))
  return null
}

function registryRowOf(row: ModelRow, bytes: number, installedMicros: number): RegistryRow {
  const { version, trainedMicros, throughSeq, fingerprint, summary, origin = null } = row
  const facts = { version, trainedMicros, installedMicros, throughSeq, fingerprint, summary, origin }
  return { ...facts, bytes, isKept: true, spans: [] }
}
