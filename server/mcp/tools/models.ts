/** Tools for the models of a job: which there are, and which one decides. */
import { Type } from 'typebox'
import type { Client, RegisteredModel } from '../../client/index.js'
import { Exact } from '../../schemas/common.js'
import { cursorOf, placeOf } from '../cursor.js'
import { InvalidCall, readTool, writeTool, type Tool } from '../tool.js'
import { AsIs, Count, counted, Cursor, JobId, Limit, NextCursor } from './fields.js'

const ModelId = Type.String({ minLength: 1, maxLength: 256, description: 'Id of the model, as `models` lists it.' })

function listed({ origin, held_out: heldOut, active_times: times, ...model }: RegisteredModel) {
  const { accuracy, macro_f1, events } = heldOut
  return { ...model, origin, held_out: { events, accuracy, macro_f1 }, last_active: times.at(-1) ?? null }
}

const models = readTool({
  name: 'models',
  title: 'Models of a job',
  description: 'The models of a job, latest first: what each was trained on, how good it is, and which one decides.',
  operations: ['listModels'],
  scopes: ['read:job_metrics'],
  input: Exact({ job_id: JobId, limit: Limit(10), cursor: Cursor }),
  output: Type.Object({ models: Type.Array(AsIs), total: Count, next_cursor: NextCursor }),
  async read({ client, input: { job_id, limit = 10, cursor } }) {
    const { page } = placeOf(cursor)
    const found = await client.listModels({ job_id, page, size: limit })
    const isLast = (page + 1) * limit >= found.total_count
    return {
      summary: `${counted(found.models.length, 'model')} of ${found.total_count}.`,
      content: {
        models: found.models.map(listed),
        total: found.total_count,
        next_cursor: isLast ? null : cursorOf({ page: page + 1 }),
      },
    }
  },
})

/** The model that decides now, or null. */
async function activeOf(client: Client, job_id: number): Promise<string | null> {
  const { models: latest } = await client.listModels({ job_id, size: 100 })
  return latest.find(({ active }) => active)?.model_id ?? null
}

const promote = writeTool({
  name: 'promote_model',
  title: 'Make a model decide',
  description: 'Makes a model of the job decide, from the next event on. Open gates of the job close.',
  operations: ['listModels', 'getModel', 'rollBackModel'],
  scopes: ['write:models', 'read:job_metrics'],
  input: Exact({ job_id: JobId, model_id: ModelId }),
  isDestructive: true,
  isIdempotent: true,
  async plan({ client, input: { job_id, model_id } }) {
    const { active, kept, version } = await client.getModel({ job_id, model_id })
    if (active) return { count: 0, effect: 'This model decides already.', isVoid: true }
    if (!kept) throw new InvalidCall('Of this model the figures alone are kept: it cannot decide again.')
    return { count: 1, effect: `Makes version ${version} of the model of job ${job_id} decide.` }
  },
  async act({ client, input: { job_id, model_id } }) {
    const { from, to } = await client.rollBackModel({ job_id, body: { model_id } })
    return { effect: 'The model decides from the next event on.', result: { from, to } }
  },
})

const rollback = writeTool({
  name: 'rollback',
  title: 'Roll back to the model before',
  description: 'Makes the model decide that decided before the present one. Open gates of the job close.',
  operations: ['listModels', 'rollBackModel'],
  scopes: ['write:models', 'read:job_metrics'],
  input: Exact({ job_id: JobId }),
  isDestructive: true,
  isIdempotent: false,
  async plan({ client, input: { job_id } }) {
    const active = await activeOf(client, job_id)
    if (active === null) throw new InvalidCall('No model of this job decides, so there is none to go back from.')
    return { count: 1, effect: `Rolls job ${job_id} back to the model that decided before the present one.` }
  },
  async act({ client, input: { job_id } }) {
    const { from, to } = await client.rollBackModel({ job_id })
    return { effect: 'The model before decides from the next event on.', result: { from, to } }
  },
})

export const modelTools: readonly Tool[] = [models, promote, rollback]
