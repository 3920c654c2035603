/** The safety of a job: what it may settle by itself, how that is proved, and what would be proved when. */
import { useSignal } from '@preact/signals'
import type { AutonomyView, ContractBody } from '../../../client/index.js'
import { Confirm } from '../../parts/confirm.js'
import { EvidenceNote } from '../../parts/evidence.js'
import { Icon } from '../../parts/icon.js'
import { JobFrame } from '../../parts/job-head.js'
import { Loaded } from '../../parts/loaded.js'
import { api, may } from '../../state/api.js'
import { useData } from '../../state/data.js'
import { job as jobOfPage, type ShownJob } from '../../state/jobs.js'
import { attempt, say } from '../../state/toasts.js'
import { count, t } from '../../texts.js'
import NotFound from '../not-found.js'
import { Certificates } from './certificates.js'
import { ContractForm } from './contract.js'
import { Forecast } from './forecast.js'
import { Gates } from './gates.js'

function Reopen({ of, done }: { readonly of: ShownJob; readonly done: () => void }) {
  const isAsking = useSignal(false)
  const label = useSignal('')
  const reopen = async (): Promise<void> => {
    const body = label.value === '' ? {} : { label: label.value }
    const { reopened, complete } = await api.reopenSettled({ job_id: of.job_id, body })
    say(`${count('safety.reopened', reopened)}${complete ? '' : ` ${t('safety.reopen_more')}`}`)
    done()
  }
  return (
    <>
      <button type="button" onClick={() => (isAsking.value = true)}>
        {t('safety.reopen')}
      </button>
      {isAsking.value ? (
        <Confirm
          title={t('safety.reopen')}
          verb={t('safety.reopen_verb')}
          close={() => (isAsking.value = false)}
          act={reopen}
        >
          <p>{t('safety.reopen_text')}</p>
          <label>
            {t('safety.reopen_label')}
            <select value={label.value} onChange={({ currentTarget: { value } }) => (label.value = value)}>
              <option value="">{t('safety.all_labels')}</option>
              {of.labels.map((name) => (
                <option key={name} value={name}>
                  {name}
                </option>
              ))}
            </select>
          </label>
        </Confirm>
      ) : null}
    </>
  )
}

/** The contract as it is, to be set again. */
function sameContract(view: AutonomyView): ContractBody {
  return {
    mode: view.mode,
    hold_out_rate: view.hold_out_rate,
    revoke_on_miss: view.revoke_on_miss,
    audit_deadline_hours: view.audit_deadline_hours,
    audit_deadline_working_hours: view.audit_deadline_working_hours,
    protected_labels: view.protected_labels,
    labels: view.labels,
  }
}

/** Nothing is settled under other names until somebody says that they are meant. */
function Paused({ of, view, done }: StateProps) {
  if (view.paused === null) return null
  const confirm = async (): Promise<void> => {
    const isSet = await attempt(() => api.setAutonomy({ job_id: of.job_id, body: sameContract(view) }))
    if (isSet) done()
  }
  return (
    <section class="panel row step" role="note">
      <p class="grow warn">
        <Icon name="triangle-alert" /> {view.paused}
      </p>
      {may('write:autonomy') ? (
        <button type="button" class="primary" onClick={() => void confirm()}>
          {t('safety.confirm_names')}
        </button>
      ) : null}
    </section>
  )
}

interface StateProps {
  readonly of: ShownJob
  readonly view: AutonomyView
  readonly done: () => void
}

function State({ of, view, done }: StateProps) {
  const isOpen = view.gates.some(({ state }) => state === 'open')
  const text = view.mode === 'off' ? 'safety.is_off' : isOpen ? 'safety.is_open' : `safety.is_${view.mode}`
  return (
    <section class="panel row step">
      <p class="grow">{t(text as 'safety.is_off')}</p>
      {may('write:autonomy') && view.set_at !== null ? <Reopen of={of} done={done} /> : null}
    </section>
  )
}

function SafetyOf({ of }: { readonly of: ShownJob }) {
  const view = useData(`autonomy ${of.job_id} ${of.last_train_finished_timestamp}`, (signal) =>
    api.getAutonomy({ job_id: of.job_id }, { signal }),
  )
  return (
    <JobFrame of={of}>
      <EvidenceNote of={of} />
      <Loaded data={view} lines={6}>
        {(value) => (
          <>
            <Paused of={of} view={value} done={view.reload} />
            <State of={of} view={value} done={view.reload} />
            <Gates of={of} view={value} />
            <Forecast of={of} view={value} />
            <ContractForm key={value.set_at ?? ''} of={of} view={value} saved={view.reload} />
            <Certificates of={of} />
            {value.mode === 'off' ? null : (
              <section class="panel">
                <h2>{t('safety.assumptions')}</h2>
                <ul class="points">
                  {value.assumptions.map((text) => (
                    <li key={text}>{text}</li>
                  ))}
                </ul>
              </section>
            )}
          </>
        )}
      </Loaded>
    </JobFrame>
  )
}

export default function Safety() {
  const of = jobOfPage.value
  return of === null ? <NotFound /> : <SafetyOf key={of.job_id} of={of} />
}
