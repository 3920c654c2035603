/**
 * Next: one event at a time, with everything that an answer needs, and the queue beside it.
 *
 * 1. An answer shows the next event at once: what is known of it was loaded before.
 * 2. New events never move the queue. They are taken in when the person asks for them.
 * 3. Undo leads back to the event.
 */
import { useSignal } from '@preact/signals'
import { useLocation } from 'preact-iso'
import { useEffect, useRef } from 'preact/hooks'
import { addresses } from '../../addresses.js'
import { QUEUE_SIZE } from '../../first-requests.js'
import { Empty, Failed, Skeleton } from '../../parts/feedback.js'
import { Key } from '../../parts/keys.js'
import { voteOn } from '../../parts/votes.js'
import { messageOf } from '../../state/api.js'
import { useData } from '../../state/data.js'
import { readKnown, type Known } from '../../state/events.js'
import { job as jobOfPage, type ShownJob } from '../../state/jobs.js'
import { useCommands } from '../../state/keys.js'
import { newEvents, takeIn } from '../../state/live.js'
import { useWaits } from '../../state/title.js'
import { trail } from '../../state/trail.js'
import { takenBack } from '../../state/votes.js'
import { count, t } from '../../texts.js'
import NotFound from '../not-found.js'
import { Card } from './card.js'
import { FirstModel } from './first-model.js'
import { readQueue, type Waiting } from './queue.js'
import { isAnswered, Queue } from './queue-list.js'

/** So many events after the shown one are loaded beforehand. */
const AHEAD = 2

/** What is known of the event at `at`; that of the next ones is loaded meanwhile. */
function useKnown(jobId: number, items: readonly Waiting[], at: number) {
  const cache = useRef(new Map<string, Promise<Known>>())
  const shown = useSignal<{ id: string; known: Known | null; error: string | null }>({
    id: '',
    known: null,
    error: null,
  })
  const id = items[at]?.eventId ?? ''
  const read = (eventId: string): Promise<Known> => {
    const key = `${jobId} ${eventId}`
    let known = cache.current.get(key)
    if (known === undefined) {
      known = readKnown(jobId, eventId, new AbortController().signal)
      known.catch(() => cache.current.delete(key))
      cache.current.set(key, known)
    }
    return known
  }
  const load = (): void => {
    if (id === '') return
    read(id).then(
      (known) => (shown.value = { id, known, error: null }),
      (error: unknown) => (shown.value = { id, known: null, error: messageOf(error) }),
    )
    for (const { eventId } of items.slice(at + 1, at + 1 + AHEAD)) read(eventId).catch(() => {})
  }
  useEffect(load, [id])
  const isCurrent = shown.value.id === id
  return { known: isCurrent ? shown.value.known : null, error: isCurrent ? shown.value.error : null, retry: load }
}

function NewBar({ reload }: { readonly reload: () => void }) {
  const n = newEvents.value
  if (n === 0) return null
  return (
    <button
      type="button"
      class="new-bar"
      onClick={() => {
        takeIn()
        reload()
      }}
    >
      {count('new', n)} <Key of="new.show" />
    </button>
  )
}

function Answering({
  of,
  items,
  reload,
}: {
  readonly of: ShownJob
  readonly items: readonly Waiting[]
  readonly reload: () => void
}) {
  const at = useSignal(0)
  const { route } = useLocation()
  const current = Math.min(at.value, items.length - 1)
  const item = items[current] as Waiting
  const { known, error, retry } = useKnown(of.job_id, items, current)
  const go = (to: number): void => {
    if (to >= 0 && to < items.length) at.value = to
  }
  const isOpen = (one: Waiting): boolean => !isAnswered(of, one)
  useWaits(items.filter(isOpen).length, items.length >= QUEUE_SIZE)
  /** The next one without an answer, else the one after. */
  const goOn = (): void => {
    const next = items.findIndex((one, index) => index > current && isOpen(one))
    if (next >= 0) go(next)
    else if (items.every((one, index) => index === current || !isOpen(one))) reload()
    else go(items.findIndex(isOpen))
  }
  // A queue that was read again begins at its top.
  useEffect(() => {
    at.value = Math.max(0, items.findIndex(isOpen))
  }, [items])
  // An answer that was taken back is asked again.
  const back = takenBack.value
  useEffect(() => {
    const index = items.findIndex(({ eventId }) => back?.jobId === of.job_id && back.eventId === eventId)
    if (index >= 0) at.value = index
  }, [back])
  const vote = (index: number): void => voteOn({ of, ...item, after: () => setTimeout(goOn) }, index)
  useCommands({
    'vote.1': () => vote(0),
    'vote.2': () => vote(1),
    'vote.3': () => vote(2),
    skip: goOn,
    'list.next': () => go(current + 1),
    'list.previous': () => go(current - 1),
    'list.open': () => {
      const ids = items.map(({ eventId }) => eventId)
      trail.value = { jobId: of.job_id, key: 'next', ids, at: item.eventId, kept: null }
      route(addresses.event(of.job_id, item.eventId))
    },
    'new.show': () => {
      takeIn()
      reload()
    },
  })
  return (
    <div class="next">
      <Queue of={of} items={items} at={current} go={go} reload={reload} />
      <div class="card">
        <NewBar reload={reload} />
        {error === null ? (
          <Card key={item.eventId} of={of} item={item} known={known} after={goOn} />
        ) : (
          <Failed error={error} retry={retry} />
        )}
      </div>
    </div>
  )
}

function NothingWaits({ of, reload }: { readonly of: ShownJob; readonly reload: () => void }) {
  const isNew = of.processed_documents_count === 0
  return (
    <>
      <NewBar reload={reload} />
      {isNew ? null : <FirstModel of={of} isAllAnswered reload={reload} />}
      <Empty
        isPage
        icon={isNew ? 'send' : 'check'}
        title={t(isNew ? 'next.no_events' : 'next.done')}
        text={t(isNew ? 'next.no_events_text' : 'next.done_text')}
      >
        <a class="button" href={isNew ? addresses.manual : addresses.events(of.job_id)}>
          {t(isNew ? 'bar.manual' : 'place.events')}
        </a>
      </Empty>
    </>
  )
}

function NextOf({ of }: { readonly of: ShownJob }) {
  const queue = useData(`next ${of.job_id}`, (signal) => readQueue(of.job_id, signal))
  useEffect(takeIn, [of.job_id])
  if (queue.value === null && queue.error !== null) return <Failed error={queue.error} retry={queue.reload} />
  if (queue.value === null) return <Skeleton lines={10} />
  if (queue.value.length === 0) return <NothingWaits of={of} reload={queue.reload} />
  return <Answering key={of.job_id} of={of} items={queue.value} reload={queue.reload} />
}

export default function Next() {
  const of = jobOfPage.value
  return of === null ? <NotFound /> : <NextOf of={of} />
}
