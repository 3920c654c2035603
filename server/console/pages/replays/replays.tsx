/** Replays of a job: a period decided again with something changed, and nothing stored of it. */
import { useEffect } from 'preact/hooks'
import { useLocation } from 'preact-iso'
import type { ListedReplay, RegisteredModel } from '../../../client/index.js'
import { addresses } from '../../addresses.js'
import { Empty } from '../../parts/feedback.js'
import { JobFrame } from '../../parts/job-head.js'
import { Loaded } from '../../parts/loaded.js'
import { Table } from '../../parts/table.js'
import { Time } from '../../parts/time.js'
import { api, may } from '../../state/api.js'
import { useData } from '../../state/data.js'
import { job as jobOfPage, type ShownJob } from '../../state/jobs.js'
import { t } from '../../texts.js'
import NotFound from '../not-found.js'
import { ReplayForm } from './form.js'
import { changeText, stateText } from './words.js'

const EVERY_MS = 2_000

function Rows({
  of,
  replays,
  models,
}: {
  readonly of: ShownJob
  readonly replays: readonly ListedReplay[]
  readonly models: readonly RegisteredModel[]
}) {
  return (
    <Table
      columns={[
        { text: t('replays.head.change') },
        { text: t('replays.head.state') },
        { text: t('replays.head.by') },
        { text: t('replays.head.asked'), isNumber: true },
      ]}
      rows={replays.map((replay) => ({
        key: replay.replay_id,
        cells: [
          <a key="a" href={addresses.replay(of.job_id, replay.replay_id)}>
            {changeText(replay, models)}
          </a>,
          <span key="s" class={replay.status === 'failed' ? 'bad' : ''}>
            {stateText(replay)}
          </span>,
          replay.requested_by,
          <Time key="t" at={replay.requested_at} />,
        ],
      }))}
    />
  )
}

function ReplaysOf({ of }: { readonly of: ShownJob }) {
  const { route, query } = useLocation()
  const replays = useData(`replays ${of.job_id}`, async (signal) => {
    const [list, models] = await Promise.all([
      api.listReplays({ job_id: of.job_id }, { signal }),
      api.listModels({ job_id: of.job_id, size: 50 }, { signal }),
    ])
    return { replays: list.replays, models: models.models }
  })
  const isRunning = replays.value?.replays.some(({ status }) => status === 'queued' || status === 'running') === true
  useEffect(() => {
    if (!isRunning) return
    const timer = setInterval(replays.reload, EVERY_MS)
    return () => clearInterval(timer)
  }, [isRunning])
  return (
    <JobFrame of={of}>
      {may('execute:model_trials') && of.processed_documents_count > 0 ? (
        <ReplayForm
          of={of}
          models={replays.value?.models ?? []}
          modelId={(query as Record<string, string>).model ?? ''}
          started={(id) => route(addresses.replay(of.job_id, id))}
        />
      ) : null}
      <section class="panel stack">
        <h2>{t('replays.title')}</h2>
        <Loaded data={replays} lines={3}>
          {({ replays: all, models }) =>
            all.length === 0 ? (
              <Empty title={t('replays.none')} text={t('replays.none_text')} icon="git-compare" />
            ) : (
              <Rows of={of} replays={all} models={models} />
            )
          }
        </Loaded>
      </section>
    </JobFrame>
  )
}

export default function Replays() {
  const of = jobOfPage.value
  return of === null ? <NotFound /> : <ReplaysOf key={of.job_id} of={of} />
}
