/** The form to begin a replay: the period, and what is to be different. */
import { useSignal } from '@preact/signals'
import type { RegisteredModel, ReplayRequest } from '../../../client/index.js'
import { api, may } from '../../state/api.js'
import { useData } from '../../state/data.js'
import type { ShownJob } from '../../state/jobs.js'
import { timeOfField, zoneName } from '../../state/times.js'
import { attempt } from '../../state/toasts.js'
import { t } from '../../texts.js'
import { objectives } from '../settings/objective.js'
import { Form } from '../../parts/form.js'

interface FormProps {
  readonly of: ShownJob
  readonly models: readonly RegisteredModel[]
  /** The model that is chosen at first; '' for the one that decides. */
  readonly modelId: string
  readonly started: (replayId: string) => void
}

/** The time of a field, as ISO 8601; undefined for none. */
function momentOf(value: string): string | undefined {
  const ms = timeOfField(value)
  return ms === null ? undefined : new Date(ms).toISOString()
}

function linesOf(value: string): string[] {
  return value
    .split(/[\n,]/)
    .map((one) => one.trim())
    .filter((one) => one !== '')
}

/** The request of a filled form. A model is taken as it is; anything else trains one for the replay. */
function requestOf(data: FormData, of: ShownJob): ReplayRequest {
  const text = (name: string): string => String(data.get(name) ?? '').trim()
  const [kind, name = ''] = text('with').split(' ')
  const points = linesOf(text('points'))
  const without = data.getAll('without').map(String)
  const isOther = points.join('\n') !== of.features.join('\n')
  return {
    start_date: momentOf(text('from')),
    end_date: momentOf(text('to')),
    model_id: kind === 'model' ? name : undefined,
    against: text('against') === '' ? undefined : text('against'),
    threshold: text('threshold') === '' ? undefined : Number(text('threshold')),
    ...(kind === 'train'
      ? {
          objective: name === '' ? undefined : (name as 'accuracy'),
          decision_points: isOther && points.length > 0 ? points : undefined,
          without_analysts: without.length === 0 ? undefined : without,
        }
      : {}),
  }
}

/** What a training for the replay may leave out or change. */
function Trained({ of }: { readonly of: ShownJob }) {
  const analysts = useData(may('read:event_query') ? `analysts ${of.job_id}` : null, (signal) =>
    api.getAnalysts({ job_id: of.job_id }, { signal }),
  )
  return (
    <div class="halves">
      <label>
        {t('job.points')}
        <textarea
          name="points"
          rows={Math.min(12, of.features.length + 1)}
          spellcheck={false}
          defaultValue={of.features.join('\n')}
        />
      </label>
      <fieldset class="choices">
        <legend>{t('trial.without')}</legend>
        {(analysts.value?.analysts ?? []).map(({ analyst, votes }) => (
          <label key={analyst} class="inline">
            <input type="checkbox" name="without" value={analyst} />
            <span class="bidi">{analyst}</span> <span class="dim">{votes}</span>
          </label>
        ))}
        {analysts.value?.analysts.length === 0 ? <p class="dim">{t('votes.none')}</p> : null}
      </fieldset>
    </div>
  )
}

export function ReplayForm({ of, models, modelId, started }: FormProps) {
  const kept = models.filter(({ kept: isKept }) => isKept)
  const chosen = useSignal(modelId === '' ? 'now' : `model ${modelId}`)
  const isBusy = useSignal(false)
  const start = async (data: FormData): Promise<void> => {
    isBusy.value = true
    const body = requestOf(data, of)
    await attempt(async () => started((await api.startReplay({ job_id: of.job_id, body })).replay_id))
    isBusy.value = false
  }
  return (
    <Form class="panel stack" submit={start}>
      <header>
        <h2>{t('replays.new')}</h2>
        <p class="dim">{t('replays.text')}</p>
      </header>
      <div class="form-grid">
        <label>
          {t('replays.with')}
          <select name="with" value={chosen.value} onChange={({ currentTarget: { value } }) => (chosen.value = value)}>
            <option value="now">{t('replays.model_now')}</option>
            {kept.map(({ model_id: id, version, active }) =>
              active ? null : (
                <option key={id} value={`model ${id}`}>
                  {t('models.version', { n: version })}
                </option>
              ),
            )}
            <option value="train ">{t('replays.train')}</option>
            {objectives.map((name) => (
              <option key={name} value={`train ${name}`}>
                {t('replays.train_for', { objective: t(`objective.${name}`) })}
              </option>
            ))}
          </select>
        </label>
        <label>
          {t('replays.compare')}
          <select name="against">
            <option value="">{t('replays.stored')}</option>
            {kept.map(({ model_id: id, version }) => (
              <option key={id} value={id}>
                {t('models.version', { n: version })}
              </option>
            ))}
          </select>
        </label>
        <label>
          {t('replays.threshold')}
          <input name="threshold" type="number" min={0} max={100} step="any" placeholder={t('replays.as_job')} />
        </label>
        <label>
          {t('replays.from', { zone: zoneName() })}
          <input name="from" type="datetime-local" />
        </label>
        <label>
          {t('replays.to', { zone: zoneName() })}
          <input name="to" type="datetime-local" />
        </label>
      </div>
      {chosen.value.startsWith('train') ? <Trained of={of} /> : null}
      <div class="row">
        <button type="submit" class="primary" disabled={isBusy.value}>
          {t('replays.start')}
        </button>
        <span class="dim">{t('replays.harmless')}</span>
      </div>
    </Form>
  )
}
