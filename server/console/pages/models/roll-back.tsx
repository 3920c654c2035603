/** Going back to an earlier model: what it would change is said first. */
import type { RegisteredModel } from '../../../client/index.js'
import { addresses } from '../../addresses.js'
import { Confirm } from '../../parts/confirm.js'
import { api, may } from '../../state/api.js'
import { useData } from '../../state/data.js'
import { hasClusters, loadJobs, type ShownJob } from '../../state/jobs.js'
import { say } from '../../state/toasts.js'
import { count, number, t } from '../../texts.js'
import { rightText } from './figures.js'

interface RollBackProps {
  readonly of: ShownJob
  readonly from: RegisteredModel | null
  readonly to: RegisteredModel
  readonly close: () => void
  readonly done: () => void
}

/** Open gates, which a rollback closes. */
async function openGates(jobId: number, signal: AbortSignal): Promise<number> {
  const { gates } = await api.getAutonomy({ job_id: jobId }, { signal })
  return gates.filter(({ state }) => state === 'open').length
}

export function RollBack({ of, from, to, close, done }: RollBackProps) {
  const gates = useData(`gates ${of.job_id}`, (signal) => openGates(of.job_id, signal))
  const version = t('models.version', { n: to.version })
  const roll = async (id: string): Promise<void> => {
    const moved = await api.rollBackModel({ job_id: of.job_id, body: { model_id: id } })
    await loadJobs()
    say(t('models.rolled_back', { model: id }), moved.from === null ? null : () => roll(moved.from ?? ''))
    done()
  }
  return (
    <Confirm
      title={t('roll_back.title', { version })}
      verb={t('roll_back.verb')}
      close={close}
      act={() => roll(to.model_id)}
    >
      <ul class="points">
        <li>{t('roll_back.events', { version })}</li>
        <li>
          {t('roll_back.right', {
            to: rightText(to),
            from: from === null ? '—' : rightText(from),
            examples: number(to.examples),
            now: number(from?.examples ?? 0),
          })}
        </li>
        <li>{t('roll_back.votes')}</li>
        <li>
          {gates.value === null || gates.value === 0 ? t('roll_back.no_gates') : count('roll_back.gates', gates.value)}
        </li>
        <li>{t('roll_back.training')}</li>
      </ul>
      {may('execute:model_trials') && !hasClusters(of) ? (
        <p>
          <a href={`${addresses.replays(of.job_id)}?model=${encodeURIComponent(to.model_id)}`}>
            {t('roll_back.replay')}
          </a>
        </p>
      ) : null}
    </Confirm>
  )
}
