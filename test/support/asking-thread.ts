/**
 * A thread in the place of the integration thread that dies and is replaced. Its first life asks to take a document in
 * and ends. Its second asks to take in something that is not an event, and reports the answer.
 */
import { parentPort, workerData } from 'node:worker_threads'
import { packBatch } from '../../engine/services/integrations/document-batch.js'
import type {
  FromIntegrations,
  IntegrationThreadData,
  ToIntegrations,
} from '../../engine/services/integrations/integration-protocol.js'

const { commits, serviceNames } = workerData as IntegrationThreadData
const port = parentPort!
const life = Atomics.add(commits, 0, 1)
const step = JSON.parse(serviceNames[0] as string)

const tell = (message: FromIntegrations): void => port.postMessage(message)

port.on('message', (message: ToIntegrations) => {
  if (message.type === 'tookIn')
    tell({
      type: 'failed',
      what: 'answered',
      message: JSON.stringify(message.fared.refused.map(({ at }) => at)),
      stack: undefined,
    })
  if (message.type === 'close') tell({ type: 'closed' })
})
tell({
  type: 'takeIn',
  id: 1,
  step,
  batch: packBatch([{ id: `life ${life}`, body: Buffer.from(life === 0 ? '{"a":1}' : 'no event') }]),
})
if (life === 0) process.exit(0)
tell({ type: 'failed', what: 'asked', message: '', stack: undefined })
