/** Why an event has its decision: what it hangs on, field by field, exactly. */
import type { EventExplanation } from '../../client/index.js'
import type { ShownJob } from '../state/jobs.js'
import { valueText } from '../state/events.js'
import { capitalized, confidenceText, count, percent, sentence, t } from '../texts.js'
import { Confidence } from './evidence.js'
import { Label, LabelMark } from './label.js'

const BRIEF = 3

interface WhyProps {
  readonly of: ShownJob | null
  readonly explanation: EventExplanation
  /** Only the fields that matter most. */
  readonly isBrief?: boolean
}

/** The sentence: who decided, with which confidence, and what that means. */
export function Answer({ of, explanation }: WhyProps) {
  const { decision, model } = explanation
  if (decision.result_label === '') return <p class="answer dim">{sentence(decision.reason) || t('why.none')}</p>
  const who =
    decision.source === 'knowledge_base'
      ? 'why.votes_say'
      : decision.source === 'none'
        ? 'why.service_says'
        : 'why.model_says'
  return (
    <div>
      <p class="answer">
        <span class="dim">{t(who)}</span>
        <Label of={of} label={decision.result_label} />
        <strong>
          <Confidence of={of} value={decision.confidence_score} isThin={decision.confidence_basis === 'thin'} />
        </strong>
      </p>
      <p class="dim">
        {decision.confidence_basis === 'thin'
          ? decision.confidence_note
          : t('why.confidence', { n: Math.floor(decision.confidence_score) })}
        {model === null ? '' : ` ${count('why.learned_from', model.voted_events)}`}
        {decision.by_earlier_model ? ` ${t('why.earlier')}` : ''}
      </p>
    </div>
  )
}

type Field = NonNullable<EventExplanation['model']>['fields'][number]

function Effect({
  of,
  field,
  largest,
}: {
  readonly of: ShownJob | null
  readonly field: Field
  readonly largest: number
}) {
  const names = field.fields.map((one) => `${one.field} = ${valueText(one.value)}`)
  const width = largest === 0 ? 0 : Math.round((Math.abs(field.effect) / largest) * 100)
  return (
    <li class="effect">
      <span class="effect-fields mono" title={names.join('\n')}>
        {names.map((name) => (
          <span key={name} class="bidi">
            {name}
          </span>
        ))}
      </span>
      <span class="bar-track">
        <span class={field.effect < 0 ? 'bar-fill against' : 'bar-fill'} style={{ width: `${width}%` }} />
      </span>
      <span class="without label" title={t('why.without')}>
        {field.result_label === '' ? (
          <span class="dim">{t('decision.none')}</span>
        ) : (
          <>
            <LabelMark of={of} label={field.result_label} />
            <span>
              <span class="hidden">{`${t('why.without')}: ${field.result_label} `}</span>
              {confidenceText(field.confidence_score)}
            </span>
          </>
        )}
      </span>
    </li>
  )
}

/** The answer without each field. */
export function Effects({ of, explanation, isBrief = false }: WhyProps) {
  const { model } = explanation
  if (model === null || model.fields.length === 0) return null
  const answer = model.answer?.result_label ?? explanation.decision.result_label
  // Those without which the answer is another one come first, then those that move it most, in either direction.
  const turns = ({ result_label: without }: Field): number => (without === answer ? 0 : 1)
  const ordered = [...model.fields].sort((a, b) => turns(b) - turns(a) || Math.abs(b.effect) - Math.abs(a.effect))
  const shown = isBrief ? ordered.slice(0, BRIEF) : ordered
  const largest = Math.max(...model.fields.map(({ effect }) => Math.abs(effect)))
  return (
    <div>
      <div class="effect effects-head">
        <h2 class="small">{t('why.effects')}</h2>
        <span class="legend dim">
          <span class="label">
            <span class="bar-sign" /> {t('why.for')}
          </span>
          <span class="label">
            <span class="bar-sign against" /> {t('why.against')}
          </span>
        </span>
        <span class="number dim">{t('why.without')}</span>
      </div>
      <ul class="effects">
        {shown.map((field) => (
          <Effect key={field.fields[0]?.field ?? ''} of={of} field={field} largest={largest} />
        ))}
        {!isBrief && model.pair !== null ? <Effect of={of} field={model.pair} largest={largest} /> : null}
      </ul>
    </div>
  )
}

/** Everything else of the explanation. */
export function Provenance({ of, explanation }: WhyProps) {
  const { decision, model, cluster } = explanation
  return (
    <div class="stack">
      <p>
        {decision.result_label === '' ? '' : sentence(decision.reason) || t('why.none')}
        {decision.exact === true ? ` ${t('why.exact')}` : ''}
        {decision.inexact_reason == null ? '' : ` ${sentence(decision.inexact_reason)}`}
      </p>
      {model === null ? null : (
        <p class="row">
          {Object.entries(model.probabilities).map(([label, share]) => (
            <span key={label} class="label">
              <LabelMark of={of} label={label} />
              {label} <span class="dim">{percent(share * 100)}</span>
            </span>
          ))}
        </p>
      )}
      {model === null || model.unlike.length === 0 ? null : (
        <div>
          <h2 class="small">{t('why.unlike')}</h2>
          <ul>
            {model.unlike.map(({ field, value, known }) => (
              <li key={field} class="mono">
                {field} = {valueText(value)} <span class="dim">{t('why.known', { value: valueText(known) })}</span>
              </li>
            ))}
          </ul>
        </div>
      )}
      {cluster === null ? null : <p>{capitalized(cluster.reason)}</p>}
    </div>
  )
}
