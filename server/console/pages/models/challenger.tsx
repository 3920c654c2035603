/** The challenger of a job: a model that decides in shadow, compared with the one in use, promoted or dropped. */
import { useSignal } from '@preact/signals'
import type { Challenger, ChallengeBody, RegisteredModel } from '../../../client/index.js'
import { Confirm } from '../../parts/confirm.js'
import { Loaded } from '../../parts/loaded.js'
import { Time } from '../../parts/time.js'
import { Form } from '../../parts/form.js'
import { api, may } from '../../state/api.js'
import { useData } from '../../state/data.js'
import { loadJobs, type ShownJob } from '../../state/jobs.js'
import { attempt, say } from '../../state/toasts.js'
import { count, number, share, t } from '../../texts.js'
import { modelName } from './figures.js'
import { objectives } from '../settings/objective.js'

interface PartProps {
  readonly of: ShownJob
  readonly models: readonly RegisteredModel[]
  readonly changed: () => void
}

function Start({ of, models, started }: PartProps & { readonly started: () => void }) {
  const kept = models.filter(({ kept: isKept, active }) => isKept && !active)
  const start = async (data: FormData): Promise<void> => {
    const [kind, name = ''] = String(data.get('model')).split(' ')
    const without = String(data.get('without') ?? '')
      .split(',')
      .map((one) => one.trim())
      .filter((one) => one !== '')
    const body: ChallengeBody = {
      ...(kind === 'model' ? { model_id: name } : {}),
      ...(kind === 'objective' ? { objective: name as 'accuracy' } : {}),
      ...(kind !== 'model' && without.length > 0 ? { without_analysts: without } : {}),
    }
    const isStarted = await attempt(() => api.startChallenger({ job_id: of.job_id, body }))
    if (!isStarted) return
    say(t('challenger.started'))
    started()
  }
  return (
    <Form class="row ends" submit={start}>
      <label>
        {t('challenger.which')}
        <select name="model">
          {objectives.map((name) => (
            <option key={name} value={`objective ${name}`}>
              {t('challenger.train_for', { objective: t(`objective.${name}`) })}
            </option>
          ))}
          {kept.map(({ model_id: id, version }) => (
            <option key={id} value={`model ${id}`}>
              {t('models.version', { n: version })}
            </option>
          ))}
        </select>
      </label>
      <label>
        {t('trial.without')}
        <input name="without" size={28} placeholder={t('trial.without_example')} />
      </label>
      <button type="submit">{t('challenger.start')}</button>
    </Form>
  )
}

/** How the two compare, on the same events. */
function Compared({ of, models, challenger }: PartProps & { readonly challenger: Challenger }) {
  const { events, disagreements, challenger_right: right, champion_right: other, neither_right: neither } = challenger
  const answered = right + other + neither
  const tone = { better: 'good', worse: 'bad', not_worse: 'good', undecided: '' }[challenger.verdict]
  return (
    <>
      <p>
        <span class={`tag ${tone}`}>{t(`verdict.${challenger.verdict}`)}</span> {challenger.message}
      </p>
      <dl class="facts">
        <dt>{t('challenger.model')}</dt>
        <dd>
          {modelName(models, challenger.model_id)} · {challenger.user} <Time at={challenger.since} />
        </dd>
        <dt>{t('challenger.champion')}</dt>
        <dd>{modelName(models, challenger.champion)}</dd>
        <dt>{t('challenger.events')}</dt>
        <dd>
          {number(events)}
          {events === 0
            ? ''
            : ` · ${t('challenger.differ', { n: disagreements, share: share(disagreements / events) })}`}
        </dd>
        <dt>{t('challenger.answered')}</dt>
        <dd>{answered === 0 ? t('challenger.no_answers') : number(answered)}</dd>
      </dl>
      {answered === 0 ? null : (
        <div class="versus">
          {(
            [
              ['challenger.right', right],
              ['challenger.champion_right', other],
              ['challenger.neither', neither],
            ] as const
          ).map(([text, n]) => (
            <div key={text} class="effect">
              <span>{t(text)}</span>
              <span class="bar-track">
                <span class="bar-fill" style={{ width: `${Math.round((100 * n) / answered)}%` }} />
              </span>
              <span class="number">{number(n)}</span>
            </div>
          ))}
        </div>
      )}
      {challenger.automatic ? <p class="dim">{t('challenger.automatic', { job: of.title })}</p> : null}
    </>
  )
}

interface ActProps extends PartProps {
  readonly challenger: Challenger
  readonly done: () => void
}

function Acts({ of, models, challenger, done }: ActProps) {
  const isPromoting = useSignal(false)
  const name = modelName(models, challenger.model_id)
  const promote = async (): Promise<void> => {
    await api.promoteChallenger({ job_id: of.job_id })
    await loadJobs()
    say(t('challenger.promoted', { model: name }))
    done()
  }
  const drop = async (): Promise<void> => {
    const isDropped = await attempt(() => api.dropChallenger({ job_id: of.job_id }))
    if (!isDropped) return
    const again = async (): Promise<void> => {
      await api.startChallenger({ job_id: of.job_id, body: { model_id: challenger.model_id } })
      done()
    }
    say(t('challenger.dropped', { model: name }), again)
    done()
  }
  return (
    <div class="row">
      {may('write:models') ? (
        <button type="button" class="primary" onClick={() => (isPromoting.value = true)}>
          {t('challenger.promote')}
        </button>
      ) : null}
      {may('execute:model_trials') ? (
        <button type="button" onClick={() => void drop()}>
          {t('challenger.drop')}
        </button>
      ) : null}
      {isPromoting.value ? (
        <Confirm
          title={t('challenger.promote_title', { model: name })}
          verb={t('challenger.promote')}
          close={() => (isPromoting.value = false)}
          act={promote}
        >
          <ul class="points">
            <li>{t('roll_back.events', { version: name })}</li>
            <li>{count('challenger.change', challenger.disagreements, { events: challenger.events })}</li>
            <li>{t(`challenger.advice.${challenger.verdict}`)}</li>
            <li>{t('challenger.gates')}</li>
          </ul>
        </Confirm>
      ) : null}
    </div>
  )
}

export function ChallengerPart(props: PartProps) {
  const { of, changed } = props
  const data = useData(`challenger ${of.job_id} ${of.last_train_finished_timestamp}`, (signal) =>
    api.getChallenger({ job_id: of.job_id }, { signal }),
  )
  const done = (): void => {
    data.reload()
    changed()
  }
  return (
    <section class="panel stack">
      <header>
        <h2>{t('challenger.title')}</h2>
        <p class="dim">{t('challenger.text')}</p>
      </header>
      <Loaded data={data} lines={2}>
        {({ challenger }) =>
          challenger !== null ? (
            <>
              <Compared {...props} challenger={challenger} />
              <Acts {...props} challenger={challenger} done={done} />
            </>
          ) : may('execute:model_trials') && of.last_train_finished_timestamp !== null ? (
            <Start {...props} started={done} />
          ) : (
            <p class="dim">{t('challenger.none')}</p>
          )
        }
      </Loaded>
    </section>
  )
}
