/**
 * The models that a reader thread has open. They stay open from one query to the next, because opening one takes
 * longer than asking it.
 *
 * 1. A version of a model never changes, so a model that is open is the one in every snapshot that has its row.
 */
import type { Environment } from '../../store/environment.js'
import { decodeModel, type ModelRow } from '../../store/rows.js'
import { modelKey } from '../../store/tables.js'
import { limits } from '../../limits.js'
import { openModel } from '../../actor/job-model.js'
import { modelIdOf } from '../../actor/model-id.js'
import type { Model } from '../../domain/learn/classifier.js'

export interface ExplainedModel {
  readonly row: ModelRow
  readonly model: Model
  readonly bytes: number
}

/** The one that was used longest ago comes first. */
const opened = new Map<string, ExplainedModel>()

/** A version of a job's model; null for version 0, which is no model, and where it is not stored. */
export function openedModel(
  dataDir: string,
  environment: Environment,
  jobId: number,
  version: number,
): ExplainedModel | null {
  if (version === 0) return null
  const key = `${dataDir}\0${modelIdOf(jobId, version)}`
  const found = opened.get(key) ?? read(environment, jobId, version)
  opened.delete(key)
  if (found === null) return null
  opened.set(key, found)
  let bytes = 0
  for (const one of opened.values()) bytes += one.bytes
  for (const [oldest, one] of opened) {
    if (bytes <= limits.openedModelBytesMax || oldest === key) break
    opened.delete(oldest)
    bytes -= one.bytes
  }
  return found
}

function read(environment: Environment, jobId: number, version: number): ExplainedModel | null {
  const stored = environment.get('models', modelKey(jobId, version))
  if (stored === undefined) return null
  const { row, model } = decodeModel(stored)
  return { row, model: openModel(model), bytes: model.length }
}
