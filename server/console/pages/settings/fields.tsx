/** The fields of the form of a job's settings. */
import { useSignal } from '@preact/signals'
import { useEffect, useRef } from 'preact/hooks'
import { Icon } from '../../parts/icon.js'
import { Key } from '../../parts/keys.js'
import { voteCommands } from '../../state/keys.js'
import type { JobDocument } from '../../state/job-document.js'
import { hasClusters, type ShownJob } from '../../state/jobs.js'
import { t } from '../../texts.js'
import { blockers, withDefaults } from './change.js'
import { Costs, NumberField, Section, Switch } from './controls.js'
import { objectives } from './objective.js'

interface FieldsProps {
  readonly document: JobDocument
}

export function Basics({ of, document }: FieldsProps & { readonly of: ShownJob }) {
  const labels = document.advanced_settings.custom_labels ?? []
  const first = (withDefaults(document).label_order ?? []).map((wanted) => labels.findIndex(({ id }) => id === wanted))
  /** Places of labels, in the order of their keys. */
  const order = useSignal<readonly number[]>(first)
  const hidden = useRef<HTMLInputElement>(null)
  useEffect(() => {
    const form = hidden.current?.form
    const reset = (): void => void (order.value = first)
    form?.addEventListener('reset', reset)
    return () => form?.removeEventListener('reset', reset)
  }, [])
  const up = (at: number): void => {
    const next = [...order.value]
    next.splice(at - 1, 2, next[at] as number, next[at - 1] as number)
    order.value = next
  }
  return (
    <Section title="settings.basics">
      <label>
        {t('settings.name.title')}
        <input name="title" required maxLength={256} defaultValue={document.title} />
      </label>
      <label>
        {t('settings.name.description')}
        <input name="description" defaultValue={document.description} />
      </label>
      <fieldset class="choices">
        <legend>{t('settings.name.custom_labels')}</legend>
        <input ref={hidden} type="hidden" name="order" value={order.value.join(' ')} />
        {order.value.map((at, key) => (
          <div key={at} class="row">
            <Key of={voteCommands[key] ?? 'vote.1'} />
            <input
              type="color"
              name={`color ${at}`}
              aria-label={t('settings.color', { n: at + 1 })}
              defaultValue={labels[at]?.hex_color ?? ''}
            />
            <input
              name={`label ${at}`}
              aria-label={t('new_job.label', { n: at + 1 })}
              defaultValue={labels[at]?.name ?? ''}
              required
            />
            {key === 0 ? null : (
              <button
                type="button"
                class="plain icon-only"
                aria-label={t('settings.up', { label: labels[at]?.name ?? '' })}
                title={t('settings.up', { label: labels[at]?.name ?? '' })}
                onClick={() => up(key)}
              >
                <Icon name="arrow-up" />
              </button>
            )}
          </div>
        ))}
        <p class="help">{t('settings.means.custom_labels')}</p>
      </fieldset>
      <div class="halves">
        <label>
          {t('settings.name.decision_points')}
          <textarea
            name="points"
            rows={Math.max(4, document.decision_points.length + 1)}
            spellcheck={false}
            defaultValue={document.decision_points.join('\n')}
          />
          <span class="help">{t('settings.points_help')}</span>
        </label>
        <label>
          {t('settings.name.feedback_columns')}
          <textarea name="columns" rows={4} spellcheck={false} defaultValue={document.feedback_columns.join('\n')} />
          <span class="help">{t('settings.means.feedback_columns')}</span>
        </label>
      </div>
      <label>
        {t('settings.name.time_field')}
        <input
          name="time_field"
          class="mono"
          placeholder="@timestamp"
          spellcheck={false}
          defaultValue={withDefaults(document).time_field ?? ''}
        />
        <span class="help">{t('settings.means.time_field')}</span>
      </label>
      <p class="dim">{t('settings.fixed', { title: of.title, category: of.category })}</p>
    </Section>
  )
}

export function Learning({ of, document }: FieldsProps & { readonly of: ShownJob }) {
  const settings = withDefaults(document)
  const { objective } = settings
  const given = typeof objective === 'string' ? objective : 'costs'
  const chosen = useSignal<string>(given)
  return (
    <Section title="settings.learning">
      <label>
        {t('settings.name.objective')}
        <select
          name="objective"
          value={chosen.value}
          onChange={({ currentTarget: { value } }) => (chosen.value = value)}
        >
          {[...objectives, 'costs' as const].map((name) => (
            <option key={name} value={name}>
              {t(`objective.${name}`)}
            </option>
          ))}
        </select>
        <span class="help">{t(`objective.help.${chosen.value as 'costs'}`)}</span>
      </label>
      {chosen.value === 'costs' ? <Costs of={of} costs={typeof objective === 'object' ? objective.costs : []} /> : null}
      <Switch
        name="weighted_consensus"
        text="settings.name.weighted_consensus"
        help="settings.means.weighted_consensus"
        isOn={settings.weighted_consensus === true}
      />
      <Switch
        name="strict_types"
        text="settings.name.strict_types"
        help="settings.means.strict_types"
        isOn={settings.strict_types === true}
      />
      <Switch
        name="decide_stored_events"
        text="settings.name.decide_stored_events"
        help="settings.means.decide_stored_events"
        isOn={settings.decide_stored_events !== false}
      />
      {hasClusters(of) ? (
        <Switch
          name="decide_untrained"
          text="settings.name.decide_untrained"
          help="settings.means.decide_untrained"
          isOn={settings.decide_untrained === true}
        />
      ) : null}
      <NumberField
        name="outlier_rate"
        text="settings.outlier_percent"
        help="settings.means.outlier_false_alarm_rate"
        value={Math.round((settings.outlier_false_alarm_rate ?? 0) * 10_000) / 100}
        min={0.1}
        max={20}
      />
    </Section>
  )
}

export function Training({ of, document }: FieldsProps & { readonly of: ShownJob }) {
  const settings = withDefaults(document)
  const schedule = settings.auto_retrain
  return (
    <Section title="settings.training">
      <Switch
        name="scheduled"
        text="settings.scheduled"
        help="settings.means.auto_retrain"
        isOn={schedule?.enabled === true}
      />
      <label>
        {t('settings.cron', { zone: of.time_zone })}
        <input class="mono" name="cron" placeholder="0 3 * * *" defaultValue={schedule?.cron ?? ''} />
        <span class="help">{t('settings.cron_help')}</span>
      </label>
      <div class="halves">
        <label>
          {t('settings.name.time_zone')}
          <input
            name="time_zone"
            placeholder={of.time_zone}
            spellcheck={false}
            defaultValue={settings.time_zone ?? ''}
          />
          <span class="help">{t('settings.means.time_zone')}</span>
        </label>
        <label>
          {t('settings.name.working_hours')}
          <input
            class="mono"
            name="working_hours"
            placeholder="mon-fri 08:00-18:00, not 2026-12-24"
            spellcheck={false}
            defaultValue={settings.working_hours ?? ''}
          />
          <span class="help">{t('settings.means.working_hours')}</span>
        </label>
      </div>
      <fieldset class="choices">
        <legend>{t('settings.blockers')}</legend>
        {blockers.map((name) => (
          <label key={name} class="inline">
            <input type="checkbox" name={`blocker ${name}`} defaultChecked={schedule?.blockers?.[name] === true} />
            {t(`blocker.${name}`)}
          </label>
        ))}
      </fieldset>
      <Switch
        name="champion_challenger"
        text="settings.name.champion_challenger"
        help="settings.means.champion_challenger"
        isOn={settings.champion_challenger === true}
      />
      <NumberField
        name="models_kept"
        text="settings.name.models_kept"
        help="settings.means.models_kept"
        value={settings.models_kept}
        min={2}
        max={1_000}
      />
    </Section>
  )
}

export function Storage({ document }: FieldsProps) {
  const settings = withDefaults(document)
  return (
    <Section title="settings.storage">
      <div class="row ends">
        <NumberField
          name="days"
          text="settings.days"
          help="settings.days_help"
          value={settings.retention?.days}
          min={1}
        />
        <NumberField
          name="max_events"
          text="settings.max_events"
          help="settings.days_help"
          value={settings.retention?.max_events}
          min={1}
        />
      </div>
      <Switch
        name="retrain_after_erase"
        text="settings.name.retrain_after_erase"
        help="settings.means.retrain_after_erase"
        isOn={settings.retrain_after_erase === true}
      />
    </Section>
  )
}
