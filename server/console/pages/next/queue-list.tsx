/** The queue beside the event that is asked: what waits, for which reason, and what has been answered. */
import { Confidence } from '../../parts/evidence.js'
import { LabelMark } from '../../parts/label.js'
import { List } from '../../parts/list.js'
import type { ShownJob } from '../../state/jobs.js'
import { session } from '../../state/api.js'
import { saidSince, subjectKey, type Said } from '../../state/said.js'
import { voted, votedKey } from '../../state/votes.js'
import { t } from '../../texts.js'
import { FirstModel } from './first-model.js'
import { HidingChoice, isHidden } from './hiding.js'
import type { Waiting } from './queue.js'

const ROW = 52

/** What somebody else has said of it since the page was loaded. */
function saidByOther(of: ShownJob, { eventId, bucketId }: Waiting): Said | undefined {
  const said = saidSince.value.get(subjectKey(of.job_id, bucketId, eventId))
  return said?.analyst === session.value?.name ? undefined : said
}

/** This person has answered, or somebody else meanwhile. */
export function isAnswered(of: ShownJob, item: Waiting): boolean {
  if (voted.value.get(votedKey(of.job_id, item.eventId))?.label != null) return true
  return saidByOther(of, item)?.consensus != null
}

function QueueRow({ of, item }: { readonly of: ShownJob; readonly item: Waiting }) {
  const own = voted.value.get(votedKey(of.job_id, item.eventId))
  const others = saidByOther(of, item)
  const hides = isHidden(item) && own?.label == null
  const label = own?.label ?? (hides ? '' : (others?.consensus ?? item.label))
  return (
    <>
      <LabelMark of={of} label={label} />
      <span class="queue-text grow">
        <span class="ellipsis bidi">{item.title}</span>
        <span class="ellipsis">
          {own?.label == null
            ? others?.consensus == null
              ? t(`next.picked.${item.pickedBy}`)
              : hides
                ? t('next.answered_by_hidden', { analyst: others.analyst })
                : t('next.answered_by', { analyst: others.analyst, label: others.consensus })
            : t(own.state === 'waiting' ? 'next.answered_waiting' : 'next.answered', { label: own.label })}
        </span>
      </span>
      {item.label === '' || hides || own?.label != null || others?.consensus != null ? null : (
        <span class="dim">
          <Confidence of={of} value={item.confidence} />
        </span>
      )}
    </>
  )
}

/** How many wait for which reason. */
function Kinds({ items }: { readonly items: readonly Waiting[] }) {
  const kinds = new Map<Waiting['pickedBy'], number>()
  for (const { pickedBy } of items) kinds.set(pickedBy, (kinds.get(pickedBy) ?? 0) + 1)
  if (kinds.size < 2) return null
  return (
    <p class="kinds dim">
      {[...kinds].map(([kind, n]) => (
        <span key={kind}>
          {t(`next.picked.${kind}`)} {n}
        </span>
      ))}
    </p>
  )
}

export function Queue({ of, items, at, go, reload }: QueueProps) {
  const waiting = items.filter((item) => !isAnswered(of, item))
  const open = waiting.length
  return (
    <aside class="queue" aria-label={t('next.queue')}>
      <header>
        <h2>{t('next.queue')}</h2>
        <span class="dim">{open}</span>
      </header>
      <Kinds items={waiting} />
      <FirstModel of={of} isAllAnswered={open === 0} reload={reload} />
      <div class="grow">
        <List
          label={t('next.queue')}
          length={items.length}
          rowHeight={ROW}
          cursor={at}
          row={(index) => <QueueRow of={of} item={items[index] as Waiting} />}
          onChoose={go}
        />
      </div>
      <HidingChoice />
    </aside>
  )
}

interface QueueProps {
  readonly of: ShownJob
  readonly items: readonly Waiting[]
  readonly at: number
  readonly go: (at: number) => void
  readonly reload: () => void
}
