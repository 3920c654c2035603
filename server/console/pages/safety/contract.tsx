/** The form of a safety contract. What it means is said before it is set. */
import { useSignal } from '@preact/signals'
import type { AutonomyView, ContractBody, ContractLabel } from '../../../client/index.js'
import { Confirm } from '../../parts/confirm.js'
import { Label } from '../../parts/label.js'
import { Form } from '../../parts/form.js'
import { api, may } from '../../state/api.js'
import type { ShownJob } from '../../state/jobs.js'
import { say } from '../../state/toasts.js'
import { share, t, threshold } from '../../texts.js'
import { hasOwnLabels } from './protected.js'

interface ContractProps {
  readonly of: ShownJob
  readonly view: AutonomyView
  readonly saved: () => void
}

const modes = ['off', 'shadow', 'open'] as const
const first = { epsilon: 0.01, thresholds: [99, 95] }

/** Numbers with commas or blanks between them. */
function numbersOf(text: string): number[] {
  return text
    .split(/[\s,;]+/)
    .filter((one) => one !== '')
    .map(Number)
}

/** The contract of the filled form. What the form does not have stays as it was. */
function contractOf(data: FormData, { of, view }: ContractProps): ContractBody {
  const text = (name: string): string => String(data.get(name) ?? '')
  const labels = of.labels.flatMap((label, at): ContractLabel[] => {
    if (data.get(`may ${at}`) === null) return []
    const before = view.labels.find((one) => one.label === label)
    const [epsilon, thresholds] = [Number(text(`epsilon ${at}`)) / 100, numbersOf(text(`thresholds ${at}`))]
    return [{ label, epsilon, thresholds, delta: before?.delta, exclusions: before?.exclusions }]
  })
  const kept = of.labels.filter((_, at) => data.get(`protected ${at}`) !== null)
  return {
    mode: text('mode') as ContractBody['mode'],
    hold_out_rate: Number(text('rate')) / 100,
    audit_deadline_hours: Number(text('hours')),
    audit_deadline_working_hours: view.audit_deadline_working_hours,
    revoke_on_miss: data.get('revoke') !== null,
    ...(kept.length === 0 ? {} : { protected_labels: kept }),
    labels,
  }
}

/** What setting it means, in sentences. */
function Meaning({ body, view }: { readonly body: ContractBody; readonly view: AutonomyView }) {
  const open = view.gates.filter(({ state }) => state === 'open').length
  return (
    <ul class="points">
      <li>{t(`contract.mode_means.${body.mode}`)}</li>
      {body.labels.map(({ label, epsilon, thresholds }) => (
        <li key={label}>
          {t('contract.label_means', {
            label,
            epsilon: share(epsilon),
            thresholds: thresholds.map(threshold).join(` ${t('contract.or')} `),
            protected: body.protected_labels?.join(', ') ?? t('contract.protected_default'),
          })}
        </li>
      ))}
      <li>{t('contract.rate_means', { rate: share(body.hold_out_rate ?? 0) })}</li>
      <li>{t(open === 0 ? 'contract.begins' : 'contract.begins_anew')}</li>
    </ul>
  )
}

function Labels({ of, view }: Omit<ContractProps, 'saved'>) {
  return (
    <div class="table-wrap">
      <table class="rows">
        <thead>
          <tr>
            <th>{t('safety.label')}</th>
            <th>{t('contract.may_settle')}</th>
            <th>{t('contract.protected')}</th>
            <th>{t('contract.epsilon')}</th>
            <th>{t('contract.thresholds')}</th>
          </tr>
        </thead>
        <tbody>
          {of.labels.map((label, at) => {
            const set = view.labels.find((one) => one.label === label)
            return (
              <tr key={label}>
                <td data-head={t('safety.label')}>
                  <Label of={of} label={label} />
                </td>
                <td data-head={t('contract.may_settle')}>
                  <input
                    type="checkbox"
                    name={`may ${at}`}
                    aria-label={t('contract.may_settle_of', { label })}
                    defaultChecked={set !== undefined}
                  />
                </td>
                <td data-head={t('contract.protected')}>
                  <input
                    type="checkbox"
                    name={`protected ${at}`}
                    aria-label={t('contract.protected_of', { label })}
                    defaultChecked={view.protected_labels.includes(label)}
                  />
                </td>
                <td data-head={t('contract.epsilon')}>
                  <input
                    class="short"
                    name={`epsilon ${at}`}
                    type="number"
                    min={0.01}
                    max={50}
                    step="any"
                    aria-label={t('contract.epsilon_of', { label })}
                    defaultValue={String(Math.round((set?.epsilon ?? first.epsilon) * 10_000) / 100)}
                  />
                </td>
                <td data-head={t('contract.thresholds')}>
                  <input
                    name={`thresholds ${at}`}
                    aria-label={t('contract.thresholds_of', { label })}
                    defaultValue={(set?.thresholds ?? first.thresholds).join(', ')}
                  />
                </td>
              </tr>
            )
          })}
        </tbody>
      </table>
    </div>
  )
}

function Terms({ view }: { readonly view: AutonomyView }) {
  return (
    <div class="row ends">
      <label>
        {t('contract.mode')}
        <select name="mode">
          {modes.map((mode) => (
            <option key={mode} value={mode} selected={mode === view.mode}>
              {t(`contract.mode.${mode}`)}
            </option>
          ))}
        </select>
      </label>
      <label>
        {t('contract.rate')}
        <input
          class="short"
          name="rate"
          type="number"
          min={0}
          max={100}
          step="any"
          defaultValue={String(Math.round(view.hold_out_rate * 10_000) / 100)}
        />
      </label>
      <label>
        {t(view.audit_deadline_working_hours ? 'contract.working_hours' : 'contract.hours')}
        <input
          class="short"
          name="hours"
          type="number"
          min={1}
          step="any"
          defaultValue={String(view.audit_deadline_hours)}
        />
      </label>
      <label class="inline">
        <input name="revoke" type="checkbox" defaultChecked={view.revoke_on_miss} />
        {t('contract.revoke')}
      </label>
    </div>
  )
}

export function ContractForm(props: ContractProps) {
  const { of, view, saved } = props
  const proposed = useSignal<ContractBody | null>(null)
  /** Nobody has said which labels must never be settled. */
  const isUnsaid = useSignal(false)
  if (!may('write:autonomy')) return null
  const save = async (): Promise<void> => {
    if (proposed.value === null) return
    await api.setAutonomy({ job_id: of.job_id, body: proposed.value })
    say(t('contract.saved'))
    saved()
  }
  return (
    <Form
      class="panel stack"
      submit={(data) => {
        const body = contractOf(data, props)
        isUnsaid.value = body.protected_labels === undefined && hasOwnLabels(of)
        proposed.value = isUnsaid.value ? null : body
      }}
    >
      <header>
        <h2>{t('contract.title')}</h2>
        <p class="dim">{t('contract.text')}</p>
      </header>
      <Terms view={view} />
      <Labels of={of} view={view} />
      {isUnsaid.value ? (
        <p class="bad" role="alert">
          {t('contract.which')}
        </p>
      ) : null}
      <div class="row">
        <button type="submit" class="primary">
          {t('contract.see')}
        </button>
      </div>
      {proposed.value === null ? null : (
        <Confirm
          title={t('contract.confirm')}
          verb={t('contract.set')}
          close={() => (proposed.value = null)}
          act={save}
        >
          <Meaning body={proposed.value} view={view} />
        </Confirm>
      )}
    </Form>
  )
}
