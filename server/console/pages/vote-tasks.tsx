/** Votes on many events: who gave them, on what, how many; and the way back, as long as the service keeps them. */
import { useEffect } from 'preact/hooks'
import type { VoteTask } from '../../client/index.js'
import { addresses } from '../addresses.js'
import { Empty } from '../parts/feedback.js'
import { Label } from '../parts/label.js'
import { Loaded } from '../parts/loaded.js'
import { Table } from '../parts/table.js'
import { Time } from '../parts/time.js'
import { api, may, session } from '../state/api.js'
import { useData } from '../state/data.js'
import { plainText } from '../state/events.js'
import { job as jobOfPage, type ShownJob } from '../state/jobs.js'
import { attempt } from '../state/toasts.js'
import { isRunning, resultOf, takeBackTask } from '../state/vote-tasks.js'
import { votesTaken } from '../state/votes.js'
import { t } from '../texts.js'
import NotFound from './not-found.js'

const EVERY_MS = 1_000

function queryOf({ filters, query }: VoteTask): string {
  const conditions = filters.map(({ field, operator, value }) => {
    const values = Array.isArray(value) ? value.join(', ') : String(value ?? '')
    return `${field} ${operator} ${values}`.trim()
  })
  const text = [...(query === null ? [] : [query]), ...conditions]
  return text.length === 0 ? t('tasks.all') : plainText(text.join('; '))
}

function Result({ of }: { readonly of: VoteTask }) {
  return (
    <div>
      <span class={of.state === 'failed' ? 'tag bad' : 'tag'}>{t(`tasks.state.${of.state}`)}</span>{' '}
      {isRunning(of) ? (
        <progress value={of.voted} max={Math.max(1, of.expected ?? of.voted)} aria-label={t('tasks.head.result')} />
      ) : (
        resultOf(of)
      )}
      {of.message === '' ? null : <div class="bad">{of.message}</div>}
    </div>
  )
}

/** Only who gave the votes takes them back, and who settles what people disagree on. */
function Undo({ of, undone }: { readonly of: VoteTask; readonly undone: () => void }) {
  const isMine = of.requested_by === session.value?.name || may('write:consensus')
  if (!isMine || isRunning(of) || of.state === 'undone' || of.voted === 0) return null
  const back = async (): Promise<void> => {
    await attempt(() => takeBackTask(of.job_id, of.task_id))
    undone()
  }
  return (
    <button type="button" onClick={() => void back()}>
      {t('tasks.undo')}
    </button>
  )
}

function Tasks({ of }: { readonly of: ShownJob }) {
  const key = `vote tasks ${of.job_id} ${votesTaken.value}`
  const data = useData(key, (signal) => api.listVoteTasks({ job_id: of.job_id }, { signal }), { isKept: true })
  const isBusy = data.value?.tasks.some(isRunning) === true
  useEffect(() => {
    if (!isBusy) return
    const timer = setInterval(data.reload, EVERY_MS)
    return () => clearInterval(timer)
  }, [isBusy])
  return (
    <Loaded data={data}>
      {({ tasks }) =>
        tasks.length === 0 ? (
          <Empty title={t('tasks.none')} text={t('tasks.none_text')} icon="list" />
        ) : (
          <section class="panel">
            <Table
              columns={[
                { text: t('tasks.head.label') },
                { text: t('tasks.head.on') },
                { text: t('tasks.head.by') },
                { text: t('tasks.head.at') },
                { text: t('tasks.head.result') },
                { text: t('deliveries.head.act') },
              ]}
              rows={tasks.map((task) => ({
                key: task.task_id,
                cells: [
                  <Label key="l" of={of} label={task.label} />,
                  <span key="q" class="mono">
                    {queryOf(task)}
                  </span>,
                  plainText(task.analyst),
                  <Time key="t" at={task.requested_at} />,
                  <Result key="r" of={task} />,
                  <Undo key="u" of={task} undone={data.reload} />,
                ],
              }))}
            />
          </section>
        )
      }
    </Loaded>
  )
}

export default function VoteTasks() {
  const of = jobOfPage.value
  if (of === null) return <NotFound />
  return (
    <div class="page">
      <header>
        <h1>{t('tasks.title')}</h1>
        <p class="dim">
          <a href={addresses.events(of.job_id)}>{of.title}</a> · {t('tasks.text')}
        </p>
      </header>
      <Tasks of={of} />
    </div>
  )
}
