/**
 * The pages of the console: the jobs, a job, votes on events; what is set up is in set-up-pages.ts. Links in incidents
 * lead to them (C3.12).
 *
 * Owns: what a page shows, and the actions of its buttons; each action draws the page again. Leaves out: signing in
 * (app.ts).
 *
 * 1. A page has no button and no form for what the caller may not do.
 */
import { allowed, ask, type Job, type May, type StoredEvent } from './api.js'
import { button, carefulButton, element, table, type Element } from './dom.js'
import { qualityRows } from './quality.js'
import { integration, keys, type Page, type Screen } from './set-up-pages.js'

const EVENTS_SHOWN = 20

function cellText(value: unknown): string {
  return typeof value === 'string' ? value : value === null || value === undefined ? '-' : JSON.stringify(value)
}

function link(path: string, text: string): Element {
  return element('a', { href: path }, text)
}

function decisionOf(event: StoredEvent): string {
  if (event.status === 'pending_inference') return 'pending'
  if (event.result_label === '') return 'no decision'
  return `${event.result_label}, ${event.confidence_score} %${event.outlier ? ', outlier' : ''}`
}

/** The way to the events of a job, for those who may see them. */
function eventsLink(jobId: number, may: May): Element | string {
  if (!may('read:event_query')) return ''
  return link(`/jobs/feedback-flow/${jobId}`, may('write:event_feedback') ? 'Give feedback' : 'Events')
}

/** All jobs that the caller may see. */
const jobs: Page = async () => {
  const may = await allowed()
  const found = await ask<readonly Job[]>('GET', '/api/v2/jobs')
  const rows = found.map(
    ({
      job_id: id,
      title,
      category,
      status,
      processed_documents_count: events,
      feedback_documents_count: votes,
      retrain_msg,
      warnings: jobWarnings,
    }) => [
      link(`/use-cases/overview/${id}`, title),
      category,
      jobWarnings.length === 0 ? status : `${status}, warnings: ${jobWarnings.length}`,
      String(events),
      String(votes),
      retrain_msg,
      eventsLink(id, may),
    ],
  )
  if (rows.length === 0)
    return element(
      'section',
      {},
      element('h1', {}, 'Jobs'),
      element(
        'p',
        {},
        'There are no jobs.',
        ...(may('write:resources') ? [' Create one with ', link('/docs/exposer', 'POST /api/v2/resources'), '.'] : []),
      ),
    )
  return element(
    'section',
    {},
    element('h1', {}, 'Jobs'),
    table(['Job', 'Category', 'Status', 'Events', 'With feedback', 'Training', ''], rows),
  )
}

/** The bucket of the event, or the event. */
function subjectOf({ bucket_id: bucketId, event_id: eventId }: StoredEvent): string {
  return bucketId ?? `event ${eventId}`
}

/** How many events a vote on this one has a say in. */
async function reachOf(jobId: number, eventId: string): Promise<string> {
  const path = `/api/v2/events/${jobId}/${encodeURIComponent(eventId)}/feedback`
  const reach = await ask<{ applies_to_events: number }>('GET', path).catch(() => null)
  if (reach === null) return ''
  return `applies to ${reach.applies_to_events} ${reach.applies_to_events === 1 ? 'event' : 'events'}`
}

/** The latest events of a job, each with a button for every label. */
const feedback: Page = async (id, { draw, failed }) => {
  const may = await allowed()
  const job = await ask<Job>('GET', `/api/v1/jobs/${id}`)
  const selection = { job_ids: [job.job_id], size: EVENTS_SHOWN, decision_points_only: true }
  const { events, total_count: total } = await ask<{ events: readonly StoredEvent[]; total_count: number }>(
    'POST',
    '/api/v2/events/query',
    selection,
  )
  const mayVote = may('write:event_feedback')
  const reaches = new Map<string, Promise<string>>()
  for (const event of mayVote ? events : [])
    if (!reaches.has(subjectOf(event))) reaches.set(subjectOf(event), reachOf(job.job_id, event.event_id))
  const reachTexts = await Promise.all(events.map((event) => reaches.get(subjectOf(event)) ?? ''))
  const rows = events.map((event, at) => {
    const path = `/api/v2/events/${job.job_id}/${encodeURIComponent(event.event_id)}/feedback`
    const labels = mayVote ? job.labels : []
    const votes = labels.map((label) =>
      button(
        label,
        async () => {
          await ask('PUT', `${path}?feedback_label=${encodeURIComponent(label)}`)
          await draw()
        },
        failed,
      ),
    )
    const points = Object.entries(event.decision_points).map(([name, value]) =>
      element('div', {}, `${name}: ${cellText(value)}`),
    )
    return [
      cellText(event.title ?? event.event_id),
      event['@timestamp'].slice(0, 19).replace('T', ' '),
      element('div', {}, ...points),
      decisionOf(event),
      event.consensus ?? '',
      event.bucket_state,
      element('div', { class: 'votes' }, ...votes, reachTexts[at] ?? ''),
    ]
  })
  return element(
    'section',
    {},
    element('h1', {}, job.title),
    element(
      'p',
      {},
      `The latest ${events.length} of ${total} events. `,
      link(`/use-cases/overview/${job.job_id}`, 'About the job'),
    ),
    table(
      ['Event', 'Time (UTC)', 'Decision points', 'Decision', 'Consensus', 'State', mayVote ? 'What is right?' : ''],
      rows,
    ),
  )
}

/** What is wrong with the job, and what to do for those who may. */
function warnings(job: Job, mayMend: boolean): Element[] {
  if (job.warnings.length === 0) return []
  const items = job.warnings.map(({ msg, action }) => element('li', {}, mayMend ? `${msg} ${action}` : msg))
  return [element('h2', {}, 'Warnings'), element('ul', { class: 'warnings' }, ...items)]
}

/** A job with its metrics. */
const overview: Page = async (id, { draw, failed }) => {
  const may = await allowed()
  const job = await ask<Job>('GET', `/api/v1/jobs/${id}`)
  const quality = await qualityRows(job.job_id, job.category === 'Decision intelligence')
  const act = (verb: string) => async () => {
    await ask('POST', `/api/v2/jobs/${job.job_id}/${verb}`)
    await draw()
  }
  const toggle =
    job.status === 'STARTED'
      ? carefulButton(
          'Stop',
          `Stop ${job.title}? New events are stored and decided when it starts again.`,
          act('stop'),
          failed,
        )
      : button('Start', act('start'), failed)
  return element(
    'section',
    {},
    element('h1', {}, job.title),
    element('p', {}, eventsLink(job.job_id, may)),
    ...warnings(job, may('write:resources')),
    table(
      [],
      [
        ['Category', job.category],
        ['Status', job.status],
        ['Labels', job.labels.join(', ')],
        ['Events', `${job.processed_documents_count}, the latest at ${job.last_processed_timestamp || '-'}`],
        ['Events with feedback', String(job.feedback_documents_count)],
        ['Training', `${job.retrain_state} ${job.retrain_msg}`],
        ['Model', job.model_msg],
        ...quality,
      ],
    ),
    element(
      'p',
      { class: 'votes' },
      ...(may('execute:job_operations') ? [toggle, button('Train', act('train'), failed)] : []),
    ),
  )
}

const pages: readonly (readonly [path: RegExp, page: Page])[] = [
  [/^\/+jobs\/*$/, jobs],
  [/^\/+jobs\/+feedback-flow\/+([^/]+)/, feedback],
  [/^\/+use-cases\/+overview\/+([^/]+)/, overview],
  [/^\/+integrations\/+([^/]+)\/+edit/, integration],
  [/^\/+api-keys/, keys],
]

/** The page at a path. */
export function pageAt(path: string, screen: Screen): Promise<Element> {
  for (const [pattern, page] of pages) {
    const match = pattern.exec(path)
    if (match !== null) return page(decodeURIComponent(match[1] ?? ''), screen)
  }
  throw new Error('page not found')
}
