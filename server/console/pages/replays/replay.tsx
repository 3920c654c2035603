/** One replay: how far it is, then its report. */
import { useEffect } from 'preact/hooks'
import { useRoute } from 'preact-iso'
import type { RegisteredModel, Replay as ReplayView } from '../../../client/index.js'
import { addresses } from '../../addresses.js'
import { Empty, Failed, Skeleton } from '../../parts/feedback.js'
import { JobFrame } from '../../parts/job-head.js'
import { Time } from '../../parts/time.js'
import { api, may } from '../../state/api.js'
import { useData } from '../../state/data.js'
import { job as jobOfPage, type ShownJob } from '../../state/jobs.js'
import { attempt } from '../../state/toasts.js'
import { t } from '../../texts.js'
import NotFound from '../not-found.js'
import { Report } from './report.js'
import { changeText, stateText } from './words.js'

const EVERY_MS = 700

interface Shown {
  readonly replay: ReplayView
  readonly models: readonly RegisteredModel[]
}

function periodText({ start_date: from, end_date: to }: ReplayView) {
  const isWhole = Date.parse(from) <= 0
  return (
    <>
      {isWhole ? t('replays.whole') : <Time at={from} />} {t('replays.until')} <Time at={to} />
    </>
  )
}

function Running({
  of,
  replay,
  reload,
}: {
  readonly of: ShownJob
  readonly replay: ReplayView
  readonly reload: () => void
}) {
  const cancel = async (): Promise<void> => {
    await attempt(() => api.cancelReplay({ job_id: of.job_id, replay_id: replay.replay_id }))
    reload()
  }
  return (
    <section class="panel stack">
      <label>
        {stateText(replay)}
        <progress value={replay.progress_percent} max={100} />
      </label>
      <p class="dim">{t('replays.behind')}</p>
      {may('execute:model_trials') ? (
        <div class="row">
          <button type="button" onClick={() => void cancel()}>
            {t('cancel')}
          </button>
        </div>
      ) : null}
    </section>
  )
}

function ReplayOf({ of, id }: { readonly of: ShownJob; readonly id: string }) {
  const data = useData<Shown>(`replay ${of.job_id} ${id}`, async (signal) => {
    const [replay, models] = await Promise.all([
      api.getReplay({ job_id: of.job_id, replay_id: id }, { signal }),
      api.listModels({ job_id: of.job_id, size: 50 }, { signal }),
    ])
    return { replay, models: models.models }
  })
  const status = data.value?.replay.status
  const isOpen = status === 'queued' || status === 'running'
  useEffect(() => {
    if (!isOpen) return
    const timer = setInterval(data.reload, EVERY_MS)
    return () => clearInterval(timer)
  }, [isOpen])
  if (data.value === null)
    return data.error === null ? <Skeleton lines={8} /> : <Failed error={data.error} retry={data.reload} />
  const { replay, models } = data.value
  return (
    <>
      <header class="stack-tight">
        <p>
          <a href={addresses.replays(of.job_id)}>{t('job.page.replays')}</a>
        </p>
        <h2 class="title">{changeText(replay, models)}</h2>
        <p class="dim">
          {periodText(replay)} · {replay.requested_by} <Time at={replay.requested_at} />
        </p>
      </header>
      {isOpen ? <Running of={of} replay={replay} reload={data.reload} /> : null}
      {replay.status === 'failed' ? <Failed error={stateText(replay)} /> : null}
      {replay.status === 'cancelled' ? (
        <Empty title={t('replays.state.cancelled')} text={t('replays.cancelled_text')} />
      ) : null}
      {replay.report === null ? null : <Report of={of} report={replay.report} />}
    </>
  )
}

export default function Replay() {
  const { params } = useRoute()
  const of = jobOfPage.value
  if (of === null) return <NotFound />
  const id = params.replay ?? ''
  return (
    <JobFrame of={of}>
      <ReplayOf key={`${of.job_id} ${id}`} of={of} id={id} />
    </JobFrame>
  )
}
