/**
 * A new job from a file of events, in one page: the file, the fields, the labels, made.
 *
 * 1. Nothing is made before the person says so. Until then the events are in the browser, and a sample of them was
 *    looked at by the service, which keeps nothing of it.
 */
import { type Signal, useSignal } from '@preact/signals'
import type { ComponentChildren } from 'preact'
import type { FieldStatistics } from '../../../client/index.js'
import { Empty, Skeleton } from '../../parts/feedback.js'
import { Icon } from '../../parts/icon.js'
import { Shape } from '../../parts/label.js'
import { Form } from '../../parts/form.js'
import { api, may, messageOf } from '../../state/api.js'
import { jobs, loadJobs } from '../../state/jobs.js'
import { play } from '../../state/playing.js'
import { count, t } from '../../texts.js'
import { Fields } from './fields.js'
import { generatedEvents } from './generated.js'
import { Made } from './made.js'
import { eventsIn, ReadError, readFile, sampleOf, type EventText } from './read-events.js'
import { makeJob, type Made as MadeJob } from './setup.js'
import { Source } from './source.js'

/** Events of the built-in stream. */
const GENERATED = 1_500
const LABELS = [
  { name: 'Escalate', color: '#ED0A2C' },
  { name: 'Drop', color: '#1264FE' },
  { name: 'Investigate', color: '#9A00FF' },
] as const

/** More fields than these are not ticked without a reason. */
const TICKED_MAX = 12

/** The fields that may decide. */
function choosable({ fields }: FieldStatistics): string[] {
  return fields
    .filter(({ codes }) => codes !== null)
    .map(({ field }) => field)
    .slice(0, TICKED_MAX)
}

/** A title that no job has. */
function freeTitle(wanted: string): string {
  const taken = new Set((jobs.value ?? []).map(({ title }) => title))
  for (let n = 1; ; n++) {
    const title = n === 1 ? wanted : `${wanted} ${n}`
    if (!taken.has(title)) return title
  }
}

/** What the person may change before the job is made. */
interface Draft {
  readonly chosen: Signal<ReadonlySet<string>>
  readonly title: Signal<string>
  readonly labels: Signal<{ name: string; color: string }[]>
}

interface ChoicesProps {
  readonly sample: FieldStatistics
  readonly events: EventText
  readonly draft: Draft
  readonly isBusy: boolean
  readonly alert: ComponentChildren
  readonly make: () => void
  readonly again: () => void
}

/** Fields, labels and the name. */
function Choices({ sample, events, draft, isBusy, alert, make, again }: ChoicesProps) {
  const { chosen, title, labels } = draft
  return (
    <Form class="page" submit={make}>
      <div class="page-head">
        <h1 class="grow">{t('new_job.title')}</h1>
        <span class="tag">
          {events.isCut
            ? t('new_job.read_cut', { n: events.events.length })
            : count('new_job.read', events.events.length)}
        </span>
        <button type="button" onClick={again}>
          {t('new_job.other')}
        </button>
      </div>
      {alert}
      {events.skipped === 0 ? null : (
        <p class="warn" role="status">
          <Icon name="triangle-alert" /> {count('new_job.skipped', events.skipped)}
        </p>
      )}
      {sample.decision_points.length > 0 ? null : (
        <p class="warn" role="status">
          <Icon name="triangle-alert" /> {t(choosable(sample).length > 0 ? 'new_job.few' : 'new_job.none_fit')}
        </p>
      )}
      <Fields sample={sample} chosen={chosen} />
      <section class="panel stack">
        <h2>{t('new_job.labels')}</h2>
        <div class="row">
          {labels.value.map((label, at) => (
            <label key={at}>
              <Shape at={at} color={label.color} />
              <input
                required
                maxLength={256}
                aria-label={t('new_job.label', { n: at + 1 })}
                value={label.name}
                onInput={({ currentTarget: { value: name } }) => {
                  labels.value = labels.value.map((each, place) => (place === at ? { ...each, name } : each))
                }}
              />
            </label>
          ))}
        </div>
        <div class="row ends">
          <label class="grow">
            {t('new_job.name')}
            <input
              required
              maxLength={200}
              value={title.value}
              onInput={(event) => (title.value = event.currentTarget.value)}
            />
          </label>
          {chosen.value.size === 0 && choosable(sample).length > 0 ? (
            <p class="warn">{t('new_job.choose_one')}</p>
          ) : null}
          <button type="submit" class="primary" disabled={isBusy || chosen.value.size === 0}>
            <Icon name="play" /> {t('new_job.make')}
          </button>
        </div>
      </section>
    </Form>
  )
}

export default function NewJob() {
  const events = useSignal<EventText | null>(null)
  const sample = useSignal<FieldStatistics | null>(null)
  const chosen = useSignal<ReadonlySet<string>>(new Set())
  const title = useSignal('')
  const labels = useSignal(LABELS.map((each) => ({ ...each })) as { name: string; color: string }[])
  const made = useSignal<MadeJob | null>(null)
  const problem = useSignal<string | null>(null)
  const isBusy = useSignal(false)

  async function attempt(work: () => Promise<void>): Promise<void> {
    problem.value = null
    isBusy.value = true
    try {
      await work()
    } catch (error) {
      problem.value =
        error instanceof ReadError ? t(`new_job.${error.problem}`, { what: error.what }) : messageOf(error)
    } finally {
      isBusy.value = false
    }
  }

  const take = (name: string, read: () => Promise<EventText> | EventText): Promise<void> =>
    attempt(async () => {
      const text = await read()
      const found = await api.describeSample({ body: sampleOf(text.events) })
      if (found.fields.length === 0) throw new ReadError('no_fields')
      events.value = text
      title.value = freeTitle(name)
      chosen.value = new Set(found.decision_points.length > 0 ? found.decision_points : choosable(found))
      sample.value = found
    })

  const make = (): Promise<void> =>
    attempt(async () => {
      const plan = { title: title.value.trim(), points: [...chosen.value], labels: labels.value }
      const job = await makeJob(plan)
      void play(job.jobId, events.value?.events ?? [])
      made.value = job
      await loadJobs()
    })

  if (!may('write:resources', 'write:events'))
    return <Empty title={t('new_job.may_not')} text={t('jobs.none_ask')} icon="lock" />
  if (made.value !== null) return <Made of={made.value} first={events.value?.events[0] ?? {}} />
  const alert =
    problem.value === null ? null : (
      <p class="failed" role="alert">
        <Icon name="triangle-alert" /> {problem.value}
      </p>
    )
  const found = sample.value
  if (found === null || events.value === null)
    return (
      <div class="page">
        <h1>{t('new_job.title')}</h1>
        {alert}
        {isBusy.value ? (
          <Skeleton />
        ) : (
          <Source
            file={(file) => void take(file.name.replace(/(\.\w+)+$/, ''), () => readFile(file))}
            text={(text) => void take(t('new_job.default_title'), () => eventsIn(text))}
            generated={() => {
              const all = generatedEvents(GENERATED, Date.now())
              void take(t('new_job.demo_title'), () => ({ format: 'json', events: all, skipped: 0, isCut: false }))
            }}
          />
        )}
      </div>
    )
  return (
    <Choices
      sample={found}
      events={events.value}
      draft={{ chosen, title, labels }}
      isBusy={isBusy.value}
      alert={alert}
      make={() => void make()}
      again={() => (sample.value = null)}
    />
  )
}
