/** What a job could settle, and after how many days that would be proved, in plain words. */
import { useSignal, type Signal } from '@preact/signals'
import type { AutonomyView, ForecastAnswer } from '../../../client/index.js'
import { Label } from '../../parts/label.js'
import { Loaded } from '../../parts/loaded.js'
import { Table } from '../../parts/table.js'
import { api } from '../../state/api.js'
import { useData } from '../../state/data.js'
import type { ShownJob } from '../../state/jobs.js'
import { number, share, t, threshold } from '../../texts.js'
import { hasOwnLabels } from './protected.js'

/** Shares of settled events that may be wrong, to choose from. */
const epsilons = [0.001, 0.005, 0.01, 0.02, 0.05, 0.1] as const

function daysText(days: number | null): string {
  return days === null ? t('forecast.never') : t('forecast.days', { days: Math.ceil(days) })
}

function Thresholds({ of, thresholds }: { readonly of: ShownJob; readonly thresholds: ForecastAnswer['thresholds'] }) {
  return (
    <Table
      columns={[
        { text: t('safety.label') },
        { text: t('safety.threshold'), isNumber: true },
        { text: t('forecast.share'), isNumber: true },
        { text: t('forecast.per_day'), isNumber: true },
        { text: t('forecast.audits'), isNumber: true },
        { text: t('forecast.proved'), isNumber: true },
      ]}
      rows={thresholds.map((one) => ({
        key: `${one.label} ${one.threshold}`,
        cells: [
          <Label key="l" of={of} label={one.label} />,
          threshold(one.threshold),
          share(one.settled_share),
          number(Math.round(one.events_per_day)),
          one.audits_needed === null ? '—' : number(one.audits_needed),
          <span key="d" title={one.message}>
            {daysText(one.days)}
          </span>,
        ],
      }))}
    />
  )
}

/** Only people know which labels of their own must never be settled. */
function Protected({ of, kept }: { readonly of: ShownJob; readonly kept: Signal<readonly string[]> }) {
  return (
    <fieldset class="choices">
      <legend>{t('forecast.which')}</legend>
      {of.labels.map((name) => (
        <label key={name} class="inline">
          <input
            type="checkbox"
            checked={kept.value.includes(name)}
            onChange={({ currentTarget: { checked } }) => {
              kept.value = of.labels.filter((one) => (one === name ? checked : kept.value.includes(one)))
            }}
          />
          <Label of={of} label={name} />
        </label>
      ))}
    </fieldset>
  )
}

export function Forecast({ of, view }: { readonly of: ShownJob; readonly view: AutonomyView }) {
  const epsilon = useSignal(view.labels[0]?.epsilon ?? 0.01)
  /** The labels that must never be settled, where the contract does not say. */
  const kept = useSignal<readonly string[]>([])
  const areOwn = view.protected_labels.length === 0 && hasOwnLabels(of)
  const hasModel = of.last_train_finished_timestamp !== null
  const named = areOwn ? kept.value.map((name) => `label_${of.labels.indexOf(name)}`).join() : ''
  const isReady = hasModel && (!areOwn || named !== '')
  const key = isReady ? `forecast ${of.job_id} ${epsilon.value} ${view.set_at} ${named}` : null
  const data = useData(key, (signal) =>
    api.forecastAutonomy(
      { job_id: of.job_id, epsilon: epsilon.value, ...(named === '' ? {} : { protected_labels: named }) },
      { signal },
    ),
  )
  const choices = [...new Set([...epsilons, epsilon.value])].sort((a, b) => a - b)
  return (
    <section class="panel stack">
      <header class="row">
        <h2 class="grow">{t('forecast.title')}</h2>
        <label class="inline">
          {t('forecast.epsilon')}
          <select
            value={String(epsilon.value)}
            onChange={({ currentTarget: { value } }) => (epsilon.value = Number(value))}
          >
            {choices.map((one) => (
              <option key={one} value={String(one)}>
                {share(one)}
              </option>
            ))}
          </select>
        </label>
      </header>
      {hasModel && areOwn ? <Protected of={of} kept={kept} /> : null}
      {hasModel && !isReady ? null : hasModel ? (
        <Loaded data={data} lines={3}>
          {({ message, thresholds }) => (
            <>
              <p>{message}</p>
              {thresholds.length === 0 ? null : (
                <details>
                  <summary>{t('forecast.all')}</summary>
                  <Thresholds of={of} thresholds={thresholds} />
                </details>
              )}
            </>
          )}
        </Loaded>
      ) : (
        <p class="dim">{t('forecast.no_model')}</p>
      )}
    </section>
  )
}
