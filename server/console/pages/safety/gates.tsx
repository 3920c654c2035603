/** The gates of a job: what each promises, how far the proof is, and what it has settled. */
import type { AutonomyView, GateView } from '../../../client/index.js'
import { Label } from '../../parts/label.js'
import { Table } from '../../parts/table.js'
import { Time } from '../../parts/time.js'
import type { ShownJob } from '../../state/jobs.js'
import { count, number, share, t, threshold } from '../../texts.js'

const ENDED = 10
const tones: Readonly<Record<GateView['state'], string>> = { open: 'good', shadow: '', revoked: 'bad' }

function Gate({ of, gate }: { readonly of: ShownJob; readonly gate: GateView }) {
  return (
    <section class="panel stack-tight">
      <header class="row">
        <h2 class="grow row">
          <Label of={of} label={gate.label} />
          {t('safety.from', { threshold: threshold(gate.threshold) })}
        </h2>
        <span class={`tag ${tones[gate.state]}`}>{t(`gate.${gate.state}`)}</span>
      </header>
      <p>{gate.statement}</p>
      <p class={gate.state === 'revoked' ? 'bad' : 'dim'}>
        {gate.message} · <Time at={gate.since} />
      </p>
      <dl class="facts">
        <dt>{t('safety.audits')}</dt>
        <dd>{count('safety.audits_of', gate.audits, { failures: gate.failures, pending: gate.pending })}</dd>
        <dt>{t('safety.bound')}</dt>
        <dd>{gate.bound === null ? t('safety.unknown') : t('safety.at_most', { bound: share(gate.bound) })}</dd>
        <dt>{t('safety.settled')}</dt>
        <dd>{number(gate.settled)}</dd>
        {gate.rates.map((text, at) => (
          <>
            <dt>{t(at === 0 ? 'safety.rate_settled' : 'safety.rate_missed')}</dt>
            <dd>{text}</dd>
          </>
        ))}
        <dt>{t('safety.second')}</dt>
        <dd>{gate.second_opinions.message}</dd>
      </dl>
    </section>
  )
}

export function Gates({ of, view }: { readonly of: ShownJob; readonly view: AutonomyView }) {
  const ended = view.ended_gates.slice(0, ENDED)
  return (
    <>
      {view.gates.length === 0 ? null : (
        <div class="halves">
          {view.gates.map((gate) => (
            <Gate key={gate.gate_id} of={of} gate={gate} />
          ))}
        </div>
      )}
      {ended.length === 0 ? null : (
        <details class="panel">
          <summary>{t('safety.ended')}</summary>
          <Table
            columns={[
              { text: t('safety.label') },
              { text: t('safety.threshold'), isNumber: true },
              { text: t('facts.model') },
              { text: t('safety.why_ended') },
              { text: t('safety.since'), isNumber: true },
            ]}
            rows={ended.map((gate) => ({
              key: gate.gate_id,
              cells: [
                <Label key="l" of={of} label={gate.label} />,
                threshold(gate.threshold),
                gate.model,
                gate.message,
                <Time key="t" at={gate.since} />,
              ],
            }))}
          />
        </details>
      )}
    </>
  )
}
