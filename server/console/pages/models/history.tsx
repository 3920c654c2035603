/** The models of a job as a table: when each decided, how good it is, what it was made from, and the way back to it. */
import { useSignal } from '@preact/signals'
import type { ModelsPage, RegisteredModel } from '../../../client/index.js'
import { Loaded } from '../../parts/loaded.js'
import { Table } from '../../parts/table.js'
import { Time } from '../../parts/time.js'
import { may } from '../../state/api.js'
import type { Data } from '../../state/data.js'
import type { ShownJob } from '../../state/jobs.js'
import { count, number, t } from '../../texts.js'
import { objectiveText, rightText } from './figures.js'
import { RollBack } from './roll-back.js'

/** The latest times in which it decided. */
const TIMES = 3

function Decided({ model }: { readonly model: RegisteredModel }) {
  const times = model.active_times.slice(-TIMES)
  if (times.length === 0) return <span class="dim">{t('models.never')}</span>
  return (
    <ul>
      {times.map(({ from, to, why, user }) => (
        <li key={from}>
          {t(`models.why.${why}`, { user })} <Time at={from} />
          {to === null ? null : (
            <>
              {' – '}
              <Time at={to} />
            </>
          )}
        </li>
      ))}
    </ul>
  )
}

function Origin({ model }: { readonly model: RegisteredModel }) {
  const { origin } = model
  if (origin === null) return <>{number(model.examples)}</>
  const examples = Object.entries(origin.label_counts)
  return (
    <details>
      <summary>{count('models.made_from', model.examples)}</summary>
      <dl class="facts">
        <dt>{t('models.examples')}</dt>
        <dd>{examples.map(([label, n]) => `${label} ${number(n)}`).join(', ')}</dd>
        <dt>{t('settings.name.objective')}</dt>
        <dd>{objectiveText(origin.objective)}</dd>
        <dt>{t('job.points')}</dt>
        <dd class="mono">{origin.decision_points.join(', ')}</dd>
        {origin.without_analysts.length === 0 ? null : (
          <>
            <dt>{t('trial.without')}</dt>
            <dd>{origin.without_analysts.join(', ')}</dd>
          </>
        )}
        <dt>{t('models.why')}</dt>
        <dd>
          {t(`models.cause.${origin.why}`)} · {origin.user}
        </dd>
      </dl>
    </details>
  )
}

export function ModelHistory({ of, data }: { readonly of: ShownJob; readonly data: Data<ModelsPage> }) {
  const chosen = useSignal<RegisteredModel | null>(null)
  const mayRoll = may('write:models')
  return (
    <section class="panel stack">
      <header>
        <h2>{t('models.title')}</h2>
        {data.value === null ? null : <p class="dim">{count('models.kept', data.value.models_kept)}</p>}
      </header>
      <Loaded data={data} lines={4}>
        {({ models }) =>
          models.length === 0 ? (
            <p class="dim">{t('models.none')}</p>
          ) : (
            <Table
              columns={[
                { text: t('facts.model') },
                { text: t('models.right'), isNumber: true },
                { text: t('models.from') },
                { text: t('models.decided') },
                ...(mayRoll ? [{ text: t('deliveries.head.act') }] : []),
              ]}
              rows={models.map((model) => ({
                key: model.model_id,
                cells: [
                  <span key="m" class="row">
                    {t('models.version', { n: model.version })}
                    {model.active ? <span class="tag good">{t('models.active')}</span> : null}
                  </span>,
                  rightText(model),
                  <Origin key="o" model={model} />,
                  <Decided key="d" model={model} />,
                  ...(mayRoll
                    ? [
                        model.active ? null : model.kept ? (
                          <button key="r" type="button" onClick={() => (chosen.value = model)}>
                            {t('models.use')}
                          </button>
                        ) : (
                          <span key="r" class="dim">
                            {t('models.not_kept')}
                          </span>
                        ),
                      ]
                    : []),
                ],
              }))}
            />
          )
        }
      </Loaded>
      {chosen.value === null ? null : (
        <RollBack
          of={of}
          to={chosen.value}
          from={data.value?.models.find(({ active }) => active) ?? null}
          close={() => (chosen.value = null)}
          done={data.reload}
        />
      )}
    </section>
  )
}
