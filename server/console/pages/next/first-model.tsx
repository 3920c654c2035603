/**
 * The way to the first model of a job: how many answers are left, then the training, then that the model is there.
 *
 * 1. The training begins by itself once: after the tenth answer, or when there is nothing left to answer. Where it is
 *    refused, the next answer tries again.
 * 2. A model needs answers of two labels. While all are of one, no training is asked for: it would be refused. What is
 *    least like them is shown instead, or searched for.
 */
import { useSignal } from '@preact/signals'
import { useEffect, useRef } from 'preact/hooks'
import { addresses } from '../../addresses.js'
import { api, may, messageOf } from '../../state/api.js'
import { FIRST_VOTES, loadJobs, type ShownJob } from '../../state/jobs.js'
import { fail } from '../../state/toasts.js'
import { votesTaken } from '../../state/votes.js'
import { count, t } from '../../texts.js'

const EVERY_MS = 1_000

interface FirstProps {
  readonly of: ShownJob
  /** Everything that is asked has an answer. */
  readonly isAllAnswered: boolean
  readonly reload: () => void
}

/** All answers are of one label: how another one is found. */
function OneLabel({ of, label, isAllAnswered, reload }: FirstProps & { readonly label: string }) {
  return (
    <div class="first-model stack" role="status">
      <p>{count('next.one_label', of.feedback_documents_count, { label })}</p>
      {isAllAnswered ? null : (
        <button type="button" class="primary" onClick={reload}>
          {t('next.one_label_unlike')}
        </button>
      )}
      <a class="button" href={addresses.events(of.job_id)}>
        {t('next.one_label_search')}
      </a>
    </div>
  )
}

export function FirstModel({ of, isAllAnswered, reload }: FirstProps) {
  const { job_id: jobId, retrain_state: state, feedback_documents_count: votes } = of
  const isUntrained = of.last_train_finished_timestamp === null
  const wasUntrained = useRef(isUntrained)
  const triedAt = useRef(-1)
  const refusal = useSignal('')
  const isRunning = state === 'queued' || state === 'training'
  const isMine = may('execute:job_operations')
  const given = Object.entries(of.evidence.voted_events).filter(([, events]) => events > 0)
  const isOneLabel = given.length < 2
  const isEnough = votes >= FIRST_VOTES || (isAllAnswered && votes > 0)
  useEffect(() => {
    if (isUntrained && votesTaken.value > 0) loadJobs().catch(fail)
  }, [votesTaken.value])
  useEffect(() => {
    if (!isUntrained || isRunning || !isMine || !isEnough || isOneLabel || triedAt.current === votesTaken.value) return
    triedAt.current = votesTaken.value
    api.trainManagedJob({ job_id: jobId }).then(
      () => {
        refusal.value = ''
        loadJobs().catch(fail)
      },
      (error: unknown) => (refusal.value = messageOf(error)),
    )
  }, [votes, votesTaken.value, isEnough, isOneLabel])
  useEffect(() => {
    if (!isUntrained || !isRunning) return
    const timer = setInterval(() => void loadJobs().catch(fail), EVERY_MS)
    return () => clearInterval(timer)
  }, [isUntrained, isRunning])
  if (!wasUntrained.current) return null
  if (!isUntrained && state === 'RETRAIN_FINISHED')
    return (
      <button
        type="button"
        class="new-bar"
        onClick={() => {
          wasUntrained.current = false
          reload()
        }}
      >
        {t('next.first_there')}
      </button>
    )
  if (isEnough && isOneLabel && !isRunning)
    return <OneLabel of={of} label={given[0]?.[0] ?? ''} isAllAnswered={isAllAnswered} reload={reload} />
  return (
    <p class="first-model" role="status">
      {isRunning
        ? t('next.first_training')
        : !isEnough
          ? count('next.first', FIRST_VOTES - votes)
          : !isMine
            ? t('next.first_others')
            : refusal.value === ''
              ? t('next.first_training')
              : t('next.first_missing', { why: refusal.value })}
      <progress max={FIRST_VOTES} value={Math.min(votes, FIRST_VOTES)} aria-label={t('next.queue')} />
    </p>
  )
}
