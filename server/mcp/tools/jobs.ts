/** Tools that show jobs, how well they decide, and what they may settle by themselves. */
import { Type } from 'typebox'
import type { Job } from '../../client/index.js'
import { Exact } from '../../schemas/common.js'
import { cursorOf, placeOf } from '../cursor.js'
import { readTool, type Tool } from '../tool.js'
import { Notice, untrusted, UNTRUSTED } from '../untrusted.js'
import { clusters } from './clusters.js'
import { AsIs, Count, counted, Cursor, JobId, Limit, MaybeText, NextCursor, Text } from './fields.js'

const FindJobs = Exact({
  text: Type.Optional(Type.String({ maxLength: 256, description: 'A part of the title, in any case.' })),
  status: Type.Optional(Type.Enum(['STARTED', 'STOPPED'])),
  limit: Limit(20),
  cursor: Cursor,
})

const JobShort = Type.Object({
  job_id: Type.Integer(),
  title: Text,
  category: Text,
  status: Text,
  labels: Type.Array(Text),
  events: Count,
  voted_events: Count,
  training: Text,
  model: Text,
  evidence: Type.Enum(['none', 'thin', 'enough'], { description: '`thin`: its confidence is a guess.' }),
  warnings: Count,
})

function short(job: Job) {
  return {
    job_id: job.job_id,
    title: job.title,
    category: job.category,
    status: job.status,
    labels: job.labels,
    events: job.processed_documents_count,
    voted_events: job.feedback_documents_count,
    training: job.retrain_state,
    model: job.model_state,
    evidence: job.evidence.level,
    warnings: job.warnings.length,
  }
}

/** Beside the state: what its confidence rests on, where that is little. */
function evidenceText({ evidence }: Job): string {
  return evidence.message === '' ? '' : ` ${evidence.message}`
}

const findJobs = readTool({
  name: 'find_jobs',
  title: 'Find jobs',
  description: 'Lists the jobs that the key may see, with their labels, counts and state. Start here.',
  operations: ['listManagedJobs'],
  scopes: ['public'],
  input: FindJobs,
  output: Type.Object({ jobs: Type.Array(JobShort), total: Count, next_cursor: NextCursor }),
  async read({ client, input: { text = '', status, limit = 20, cursor } }) {
    const { page } = placeOf(cursor)
    const all = await client.listManagedJobs()
    const wanted = text.toLowerCase()
    const found = all.filter(
      (job) => job.title.toLowerCase().includes(wanted) && (status === undefined || job.status === status),
    )
    const shown = found.slice(page * limit, (page + 1) * limit)
    const isLast = (page + 1) * limit >= found.length
    return {
      summary: `${shown.length} of ${counted(found.length, 'job')}.`,
      content: {
        jobs: shown.map(short),
        total: found.length,
        next_cursor: isLast ? null : cursorOf({ page: page + 1 }),
      },
    }
  },
})

const getJob = readTool({
  name: 'get_job',
  title: 'Get a job',
  description: 'Shows one job: its decision points, labels, training, and warnings with what to do about them.',
  operations: ['getManagedJob'],
  scopes: ['public'],
  input: Exact({ job_id: JobId }),
  output: Type.Object({
    ...JobShort.properties,
    decision_points: Type.Array(Text),
    training_message: Text,
    model_message: Text,
    last_event: MaybeText,
    last_vote: MaybeText,
    last_training: MaybeText,
    labels_without_votes: Type.Array(Text),
    evidence_message: Text,
    notes: Type.Array(AsIs, { description: 'The warnings: what is wrong, and what to do.' }),
  }),
  async read({ client, input: { job_id } }) {
    const job = await client.getManagedJob({ job_id })
    return {
      summary: `Job ${job_id} is ${job.status}; ${counted(job.warnings.length, 'warning')}.${evidenceText(job)}`,
      content: {
        ...short(job),
        decision_points: job.features,
        training_message: job.retrain_msg,
        model_message: job.model_msg,
        last_event: job.last_processed_timestamp || null,
        last_vote: job.last_feedback_timestamp,
        last_training: job.last_train_finished_timestamp,
        labels_without_votes: job.evidence.labels_without_votes,
        evidence_message: job.evidence.message,
        notes: job.warnings.slice(0, 20).map((warning) => ({ ...warning })),
      },
    }
  },
})

const metrics = readTool({
  name: 'metrics',
  title: 'Quality of a job',
  description:
    'How well a job decides, measured on events that people voted on: accuracy, macro F1 and calibration with 95 % ' +
    'intervals, the confusion matrix, and the same of the latest model. Null means: not enough votes yet.',
  operations: ['readJobAndLatestModelMetrics'],
  scopes: ['read:job_metrics'],
  input: Exact({ job_id: JobId }),
  output: Type.Object({ job_id: Type.Integer(), labels: Type.Array(Text), job: AsIs, model: AsIs }),
  async read({ client, input: { job_id } }) {
    const [job, all] = await Promise.all([
      client.getManagedJob({ job_id }),
      client.readJobAndLatestModelMetrics({ job_id: String(job_id) }),
    ])
    const { job_metrics: own, model_metrics: model } = all
    return {
      summary: 'The figures of the job and of its latest model.',
      content: {
        job_id,
        labels: job.labels,
        job: {
          confusion_matrix: own.confusion_matrix,
          accuracy: own.overall_accuracy,
          macro_f1: own.overall_f1_score,
          precision: own.overall_precision,
          recall: own.overall_recall,
          basis: own.basis,
          basis_events: own.basis_events,
          quality: own.quality,
          agreement_with_votes: own.agreement_with_votes,
          events: own.total_events,
          events_in_knowledge_base: own.total_events_in_knowledge_base,
          events_with_consensus: own.total_events_with_consensus,
          time_saved_minutes: own.time_saved_minutes,
        },
        model: {
          model_id: model.model_id,
          accuracy: model.overall_accuracy,
          macro_f1: model.overall_f1_score,
          basis: model.basis,
          basis_events: model.basis_events,
          quality: model.quality,
          buckets_in_knowledge_base: model.buckets_in_kb,
        },
      },
    }
  },
})

const safetyStatus = readTool({
  name: 'safety_status',
  title: 'What a job may settle automatically',
  description:
    'The safety contract of a job, its gates with their evidence and bounds, and how many events wait for people ' +
    '(null without a contract: all of them are for people).',
  operations: ['getAutonomy', 'getQueue'],
  scopes: ['read:event_query'],
  input: Exact({ job_id: JobId }),
  output: Type.Object({
    job_id: Type.Integer(),
    contract: AsIs,
    gates: Type.Array(AsIs),
    waiting: Type.Union([AsIs, Type.Null()]),
  }),
  async read({ client, input: { job_id } }) {
    const view = await client.getAutonomy({ job_id })
    // Without a contract all events are for people.
    const queue = view.mode === 'off' ? null : await client.getQueue({ job_id, size: 100 })
    const { gates, ended_gates: ended, ...contract } = view
    const open = gates.filter(({ state }) => state === 'open')
    return {
      summary: `Mode ${view.mode}; ${open.length} of ${counted(gates.length, 'gate')} open.`,
      content: {
        job_id,
        contract: { ...contract, ended_gates: ended.length },
        gates: gates.slice(0, 50).map((gate) => ({ ...gate })),
        waiting: queue === null ? null : { events: queue.events.length, or_more: queue.next !== null },
      },
    }
  },
})

const deliveries = readTool({
  name: 'deliveries',
  title: 'What goes out, and what failed',
  description: 'The steps that deliver events and cases, their state, and the failed deliveries with their reasons.',
  operations: ['listDeliveries', 'listFailedDeliveries'],
  scopes: ['read:resources'],
  input: Exact({ job_id: Type.Optional(JobId), limit: Limit(20), cursor: Cursor }),
  output: Type.Object({
    notice: Notice,
    steps: Type.Array(AsIs),
    failed: Type.Array(AsIs),
    total_failed: Count,
    next_cursor: NextCursor,
  }),
  async read({ client, input: { job_id, limit = 20, cursor } }) {
    const { page } = placeOf(cursor)
    const [steps, failed] = await Promise.all([
      client.listDeliveries(),
      client.listFailedDeliveries({ job_id, page, size: limit }),
    ])
    const own = steps.filter((step) => job_id === undefined || step.job_id === job_id)
    const isLast = (page + 1) * limit >= failed.total_count
    return {
      summary: `${counted(own.length, 'step')}, ${failed.total_count} failed deliveries.`,
      content: {
        notice: UNTRUSTED,
        // What a counterpart said is in the reason.
        steps: own.slice(0, 100).map(({ reason, ...step }) => ({ ...step, untrusted: untrusted({ reason }) })),
        failed: failed.failed_deliveries.map(({ reason, ...one }) => ({ ...one, untrusted: untrusted({ reason }) })),
        total_failed: failed.total_count,
        next_cursor: isLast ? null : cursorOf({ page: page + 1 }),
      },
    }
  },
})

export const jobTools: readonly Tool[] = [findJobs, getJob, metrics, safetyStatus, clusters, deliveries]
