/**
 * An engine in a process of its own. It applies one set of resources after the other until it is killed, and reports
 * each step. `node resources-child.js <data directory> <number of the first round>`.
 */
import { setImmediate as breathe } from 'node:timers/promises'
import { openEngine } from '../../engine/index.js'
import { jobsOfRound, roundDocument } from './resource-rounds.js'
import { testAuthor } from '../support/author.js'

const [dataDir = '', first = '0'] = process.argv.slice(2)
const secrets = {
  bootstrapKey: 'a-key-for-the-children-of-fault-tests-0123456789',
  adminPassword: 'a-password-for-fault-tests',
  passwordCost: 10,
}
const engine = await openEngine({ dataDir, name: 'service', shards: 2, threads: 1, ...secrets })

for (let round = Number(first); ; round++) {
  await engine.applyResources(roundDocument(round), true, testAuthor)
  process.send?.({ round, step: 'applied' })
  await breathe()
  await engine.deleteResource({ type: 'integration', title: `rest ${round}`, force: true }, testAuthor)
  process.send?.({ round, step: 'unbound' })
  await breathe()
  if (round % 2 === 0) continue
  for (const title of jobsOfRound(round)) await engine.deleteResource({ type: 'job', title }, testAuthor)
  process.send?.({ round, step: 'deleted' })
  await breathe()
}
