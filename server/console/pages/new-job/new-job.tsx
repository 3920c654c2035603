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
import { Warnings } from '../../parts/warnings.js'
import { api, may, messageOf } from '../../state/api.js'
import { jobs, loadJobs } from '../../state/jobs.js'
import { play, type Votes } from './play.js'
import { count, t } from '../../texts.js'
import { Fields } from './fields.js'
import { generatedEvents } from './generated.js'
import { type Answers, answersOf, type DraftLabel, History } from './history.js'
import { Made } from './made.js'
import { eventsIn, ReadError, readFile, sampleOf, type ReadText } from './read-events.js'
import { makeJob, type Made as MadeJob } from './setup.js'
import { Source } from './source.js'

/** Events of the built-in stream. */
const GENERATED = 1_500
const LABELS = [
  { name: 'Escalate', color: '#ED0A2C', unused: false },
  { name: 'Drop', color: '#1264FE', unused: false },
  { name: 'Investigate', color: '#9A00FF', unused: false },
] as const
const COLORS = LABELS.map(({ color }) => color)

/** Lines that could not be read, and are named one by one. */
const FAULTS_SHOWN = 10

/** More fields than these are not ticked without a reason. */
const TICKED_MAX = 12

/** The fields that may decide. */
function choosable({ fields, label_field: answers }: FieldStatistics): string[] {
  return fields
    .filter(({ codes, field }) => codes !== null && field !== answers)
    .map(({ field }) => field)
    .slice(0, TICKED_MAX)
}

/** The label of each answer, by its name. */
function votesOf(answers: Answers | null, labels: readonly DraftLabel[]): Votes | null {
  if (answers === null) return null
  const names = [...answers.places].map(([value, place]) => [value, labels[place]?.name.trim() ?? ''] as const)
  return { field: answers.field, labels: new Map(names) }
}

function generatedText(): ReadText {
  return eventsIn(JSON.stringify(generatedEvents(GENERATED, Date.now())))
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
  readonly labels: Signal<readonly DraftLabel[]>
  readonly answers: Signal<Answers | null>
  readonly idField: Signal<string | null>
  readonly choose: (field: string | null) => void
}

interface ChoicesProps {
  readonly sample: FieldStatistics
  readonly events: ReadText
  readonly draft: Draft
  readonly isBusy: boolean
  readonly alert: ComponentChildren
  readonly make: () => void
  readonly again: () => void
}

/** Fields, labels and the name. */
function Choices({ sample, events, draft, isBusy, alert, make, again }: ChoicesProps) {
  const { chosen, title, labels, answers, idField, choose } = draft
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
      <Warnings of={events.warnings} mayMend={true} />
      {events.faults.length < 2 ? null : (
        <ul class="dim">
          {events.faults.slice(0, FAULTS_SHOWN).map(({ number, line, problem }) => (
            <li key={number}>{t('new_job.fault', { line, problem })}</li>
          ))}
        </ul>
      )}
      {sample.decision_points.length > 0 ? null : (
        <p class="warn" role="status">
          <Icon name="triangle-alert" /> {t(choosable(sample).length > 0 ? 'new_job.few' : 'new_job.none_fit')}
        </p>
      )}
      <History
        sample={sample}
        events={events.events}
        answers={answers}
        idField={idField}
        labels={labels}
        choose={choose}
      />
      <Fields sample={sample} chosen={chosen} answers={answers.value?.field ?? null} />
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
                  labels.value = labels.value.map((each, place) =>
                    place === at ? { ...each, name, unused: false } : each,
                  )
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

/** What the page holds of the events that are taken, and what the person makes of them. */
function useDraft() {
  const events = useSignal<ReadText | null>(null)
  const chosen = useSignal<ReadonlySet<string>>(new Set())
  const title = useSignal('')
  const labels = useSignal<readonly DraftLabel[]>(LABELS)
  const answers = useSignal<Answers | null>(null)
  const idField = useSignal<string | null>(null)
  /** Takes a column as the answers, whose values make the labels; null: there are none. */
  const choose = (field: string | null): void => {
    const found = field === null ? null : answersOf(field, events.value?.events ?? [], COLORS)
    answers.value = found?.answers ?? null
    labels.value = found?.labels ?? LABELS
    if (field !== null) chosen.value = new Set([...chosen.value].filter((each) => each !== field))
  }

  /** Begins with what was found in a sample of the events. */
  const begin = (text: ReadText, found: FieldStatistics, name: string): void => {
    events.value = text
    title.value = freeTitle(name)
    chosen.value = new Set(found.decision_points.length > 0 ? found.decision_points : choosable(found))
    idField.value = found.id_field
    choose(found.label_field)
  }

  const make = async (): Promise<MadeJob> => {
    const used = new Set(answers.value?.places.values())
    const all = labels.value.map((label, at) => ({ ...label, unused: label.unused && !used.has(at) }))
    const job = await makeJob({ title: title.value.trim(), points: [...chosen.value], labels: all })
    const how = {
      idField: idField.value,
      beside: events.value?.beside ?? [],
      warnings: events.value?.warnings ?? [],
      votes: votesOf(answers.value, labels.value),
    }
    void play(job.jobId, events.value?.events ?? [], how)
    return job
  }
  return { events, chosen, title, labels, answers, idField, choose, begin, make }
}

export default function NewJob() {
  const draft = useDraft()
  const { events } = draft
  const sample = useSignal<FieldStatistics | null>(null)
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

  const take = (name: string, read: () => Promise<ReadText> | ReadText): Promise<void> =>
    attempt(async () => {
      const text = await read()
      const found = await api.describeSample({ body: sampleOf(text.events) })
      if (found.fields.length === 0) throw new ReadError('no_fields')
      draft.begin(text, found, name)
      sample.value = found
    })

  const make = (): Promise<void> =>
    attempt(async () => {
      const job = await draft.make()
      made.value = job
      await loadJobs()
    })

  if (!may('write:resources', 'write:events'))
    return <Empty title={t('new_job.may_not')} text={t('jobs.none_ask')} icon="lock" />
  if (made.value !== null)
    return <Made of={made.value} first={events.value?.events[0] ?? {}} warnings={events.value?.warnings ?? []} />
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
            generated={() => void take(t('new_job.demo_title'), generatedText)}
          />
        )}
      </div>
    )
  return (
    <Choices
      sample={found}
      events={events.value}
      draft={draft}
      isBusy={isBusy.value}
      alert={alert}
      make={() => void make()}
      again={() => (sample.value = null)}
    />
  )
}
