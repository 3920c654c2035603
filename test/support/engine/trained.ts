/**
 * Trainings that tests of one process repeat. The same rows, settings and seed give the same model (D7, which the
 * contract of the classifiers and the simulation check), so it is trained once.
 */
import { createHash } from 'node:crypto'
import type { Environment } from '../../../engine/store/environment.js'
import { shardTables } from '../../../engine/store/tables.js'

const models = new Map<string, Uint8Array>()

/** What `train` makes of these rows and of `what` else it depends on. */
export function trainedOnce(environment: Environment, what: unknown, train: () => Uint8Array): Uint8Array {
  const hash = createHash('sha256').update(JSON.stringify(what))
  for (const table of shardTables) {
    hash.update(`\n${table}\n`)
    for (const { key, value } of environment.range(table, {})) hash.update(key).update(value)
  }
  const name = hash.digest('hex')
  const model = models.get(name) ?? train()
  models.set(name, model)
  return Uint8Array.from(model)
}

/** From here on everything is trained anew. */
export function forgetTrained(): void {
  models.clear()
}
