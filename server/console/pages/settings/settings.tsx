/** The settings of a job. What a change means is said before it is saved. */
import { useSignal } from '@preact/signals'
import { useLocation } from 'preact-iso'
import { addresses } from '../../addresses.js'
import { Confirm } from '../../parts/confirm.js'
import { Icon } from '../../parts/icon.js'
import { JobFrame } from '../../parts/job-head.js'
import { Loaded } from '../../parts/loaded.js'
import { PointEffect } from '../../parts/point-effect.js'
import { Form } from '../../parts/form.js'
import { api, may } from '../../state/api.js'
import { useData } from '../../state/data.js'
import { readDocument, saveDocument, type JobDocument } from '../../state/job-document.js'
import { job as jobOfPage, loadJobs, type ShownJob } from '../../state/jobs.js'
import { say } from '../../state/toasts.js'
import { count, t } from '../../texts.js'
import NotFound from '../not-found.js'
import { asOrder, changeOf, differencesOf, renamedIn, type Difference } from './change.js'
import { Basics, Learning, Storage, Training } from './fields.js'
import { Watchdogs } from './watchdog-fields.js'
import { watchdogs, type WatchdogName, type WatchdogSettings } from './watchdogs.js'

/** Settings that take effect with the next training. */
const atTraining = new Set(['decision_points', 'objective', 'outlier_false_alarm_rate', 'weighted_consensus'])

function valueText(value: unknown): string {
  if (Array.isArray(value)) {
    const names = value.map((one) =>
      typeof one === 'object' && one !== null && 'name' in one ? `${one.name} ${one.hex_color}` : String(one),
    )
    return names.join(', ') || '—'
  }
  if (typeof value === 'object' && value !== null && 'monitors' in value)
    return watchdogsText(value as WatchdogSettings)
  if (typeof value === 'object' && value !== null) return JSON.stringify(value)
  return value === '' || value === undefined ? '—' : String(value)
}

/** The watchdogs that are on, and how often they check and tell. */
function watchdogsText({ monitors, throttling, reminder }: WatchdogSettings): string {
  const on = monitors.flatMap(({ name, active, interval_check: seconds, working_hours_only: only }) => {
    if (!active) return []
    const known = (watchdogs as readonly string[]).includes(name) ? t(`watchdog.${name as WatchdogName}`) : name
    const more = [
      ...(seconds === undefined ? [] : [`${seconds} s`]),
      ...(only === true ? [t('settings.working_hours_only')] : []),
    ]
    return [more.length === 0 ? known : `${known} (${more.join(', ')})`]
  })
  const pause = throttling === undefined ? [] : [`${t('settings.throttling')}: ${throttling}`]
  const again = reminder === undefined ? [] : [`${t('settings.reminder')}: ${reminder}`]
  return [on.join(', ') || '—', ...pause, ...again].join('; ')
}

/** What other names of labels do, and whether another order of keys is meant. */
function Renames({ of, differences, choose, isOrder }: RenamesProps) {
  const renamed = renamedIn(differences)
  if (renamed.length === 0) return null
  const sentences = renamed.map(({ was, is }) => (
    <li key={was}>{count('settings.will_read', of.evidence.voted_events[was] ?? 0, { was, is })}</li>
  ))
  const names = (
    <>
      {t('settings.names_not_order')}
      <ul class="points">{sentences}</ul>
      <span class="help">{t('settings.names_pause')}</span>
    </>
  )
  if (choose === null) return <div class="warn">{names}</div>
  return (
    <fieldset class="choices">
      <legend>{t('settings.names_moved')}</legend>
      <label class="switch">
        <input type="radio" name="moved" checked={isOrder} onChange={() => choose(true)} />
        <span>{t('settings.is_order')}</span>
      </label>
      <label class="switch">
        <input type="radio" name="moved" checked={!isOrder} onChange={() => choose(false)} />
        <span class="warn">{names}</span>
      </label>
    </fieldset>
  )
}

interface RenamesProps {
  readonly of: ShownJob
  readonly differences: readonly Difference[]
  /** Null: another order of keys cannot be meant. */
  readonly choose: ((isOrder: boolean) => void) | null
  readonly isOrder: boolean
}

/** What a change means: each setting as it was and will be, and what follows. */
function Meaning({ of, document, differences }: MeaningProps) {
  const labels = document.advanced_settings.custom_labels ?? []
  const shown = (name: string, value: unknown): string =>
    name === 'label_order'
      ? valueText((value as readonly string[]).map((wanted) => labels.find(({ id }) => id === wanted)?.name ?? wanted))
      : valueText(value)
  const points = differences.find(({ name }) => name === 'decision_points')
  const needsTraining = differences.some(({ name }) => atTraining.has(name))
  return (
    <>
      <dl class="facts">
        {differences.map(({ name, before, after }) => (
          <>
            <dt>{t(`settings.name.${name}`)}</dt>
            <dd>
              <p>
                <s class="dim">{shown(name, before)}</s> → {shown(name, after)}
              </p>
              <p class="dim">{t(`settings.means.${name}`)}</p>
            </dd>
          </>
        ))}
      </dl>
      {points === undefined ? null : <PointEffect of={of} points={points.after as readonly string[]} />}
      {needsTraining ? <p>{t('settings.needs_training')}</p> : null}
    </>
  )
}

interface MeaningProps {
  readonly of: ShownJob
  readonly document: JobDocument
  readonly differences: readonly Difference[]
}

interface SettingsFormProps {
  readonly of: ShownJob
  readonly document: JobDocument
  readonly saved: () => void
}

function SettingsForm({ of, document, saved }: SettingsFormProps) {
  const proposed = useSignal<readonly Difference[] | null>(null)
  /** What was typed, where names have only changed places. */
  const moved = useSignal<{ readonly names: Difference[]; readonly order: Difference[] } | null>(null)
  const train = useSignal(true)
  const mayWrite = may('write:resources')
  const save = async (): Promise<void> => {
    const differences = proposed.value ?? []
    const before = changeOf(differences.map(({ name, before: was, after }) => ({ name, before: after, after: was })))
    const warnings = await saveDocument(of, changeOf(differences))
    const isTrained =
      train.value && differences.some(({ name }) => atTraining.has(name)) && may('execute:job_operations')
    const trained = isTrained
      ? await api.trainManagedJob({ job_id: of.job_id }).then(
          () => t('job.did.train'),
          (error: unknown) => (error instanceof Error ? error.message : ''),
        )
      : ''
    say(
      [t('settings.saved'), trained, ...warnings.map(({ msg }) => msg)].filter((text) => text !== '').join(' '),
      async () => {
        await saveDocument(of, before)
        saved()
      },
    )
    saved()
  }
  return (
    <Form
      class="stack"
      submit={(data) => {
        const differences = differencesOf(data, document)
        if (differences.length === 0) return say(t('settings.unchanged'))
        const order = asOrder(differences, document)
        moved.value = order === null ? null : { names: differences, order }
        proposed.value = order ?? differences
      }}
    >
      <fieldset class="stack" disabled={!mayWrite}>
        <Basics of={of} document={document} />
        <Learning of={of} document={document} />
        <Training of={of} document={document} />
        <Storage document={document} />
        <Watchdogs document={document} />
      </fieldset>
      {mayWrite ? (
        <div class="save-bar">
          <button type="submit" class="primary">
            {t('settings.see')}
          </button>
          <button type="reset">{t('integration.reset')}</button>
        </div>
      ) : null}
      {proposed.value === null ? null : (
        <Confirm title={t('settings.confirm')} verb={t('save')} close={() => (proposed.value = null)} act={save}>
          <Renames
            of={of}
            differences={moved.value?.names ?? proposed.value}
            choose={
              moved.value === null
                ? null
                : (isOrder) => (proposed.value = moved.value?.[isOrder ? 'order' : 'names'] ?? null)
            }
            isOrder={proposed.value === moved.value?.order}
          />
          <Meaning of={of} document={document} differences={proposed.value} />
          {proposed.value.some(({ name }) => atTraining.has(name)) && may('execute:job_operations') ? (
            <label class="inline">
              <input
                type="checkbox"
                checked={train.value}
                onChange={({ currentTarget: { checked } }) => (train.value = checked)}
              />
              {t('settings.train')}
            </label>
          ) : null}
        </Confirm>
      )}
    </Form>
  )
}

/** Deleting the job: its name is typed, so that no hand does it by mistake. */
function DeleteJob({ of }: { readonly of: ShownJob }) {
  const { route } = useLocation()
  const isOpen = useSignal(false)
  const typed = useSignal('')
  if (!may('write:resources')) return null
  const remove = async (): Promise<void> => {
    await api.deleteResource({ resource_type: 'job', id: String(of.job_id) })
    await loadJobs()
    say(t('settings.removed', { title: of.title }))
    route(addresses.jobs)
  }
  return (
    <section class="panel row">
      <p class="grow">{t('settings.remove_text')}</p>
      <button type="button" onClick={() => (isOpen.value = true)}>
        <Icon name="trash-2" /> {t('settings.remove')}
      </button>
      {isOpen.value ? (
        <Confirm
          title={t('settings.remove')}
          verb={t('delete')}
          close={() => (isOpen.value = false)}
          isReady={typed.value.trim() === of.title}
          act={remove}
        >
          <p>{count('settings.remove_what', of.processed_documents_count, { votes: of.feedback_documents_count })}</p>
          <label>
            {t('settings.remove_type', { title: of.title })}
            <input
              autocomplete="off"
              value={typed.value}
              onInput={({ currentTarget: { value } }) => (typed.value = value)}
            />
          </label>
        </Confirm>
      ) : null}
    </section>
  )
}

function SettingsOf({ of }: { readonly of: ShownJob }) {
  const version = useSignal(0)
  const data = useData(`settings ${of.job_id}`, (signal) => readDocument(of.job_id, signal))
  const saved = (): void => {
    data.reload()
    version.value++
  }
  return (
    <JobFrame of={of}>
      <Loaded data={data} lines={10}>
        {(document) => (
          <SettingsForm key={JSON.stringify([version.value, document])} of={of} document={document} saved={saved} />
        )}
      </Loaded>
      <DeleteJob of={of} />
    </JobFrame>
  )
}

export default function Settings() {
  const of = jobOfPage.value
  return of === null ? <NotFound /> : <SettingsOf key={of.job_id} of={of} />
}
