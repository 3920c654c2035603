/** One event: its decision and what it hangs on, votes, similar ones, what was sent, and what happened to it. */
import { useSignal } from '@preact/signals'
import { useLocation, useRoute } from 'preact-iso'
import { useEffect, useRef } from 'preact/hooks'
import { addresses } from '../../addresses.js'
import { Empty, Failed, Skeleton } from '../../parts/feedback.js'
import { Icon } from '../../parts/icon.js'
import { Key } from '../../parts/keys.js'
import { NoteDialog } from '../../parts/note.js'
import { Similar } from '../../parts/similar.js'
import { Time } from '../../parts/time.js'
import { Tree } from '../../parts/tree.js'
import { voteOn, VoteButtons } from '../../parts/votes.js'
import { Answer, Effects, Provenance } from '../../parts/why.js'
import { Notes, With } from '../../parts/with.js'
import { may } from '../../state/api.js'
import { useData } from '../../state/data.js'
import { readSimilar, titleOf } from '../../state/events.js'
import { job as jobOfPage, type ShownJob } from '../../state/jobs.js'
import { assignees, assignToMe, me, useCompany } from '../../state/handling.js'
import { useCommands } from '../../state/keys.js'
import { saidSince, subjectKey } from '../../state/said.js'
import { draftText } from '../../state/drafts.js'
import { useSubject } from '../../state/title.js'
import { say } from '../../state/toasts.js'
import { besideOf, isOnTrail, moveTo } from '../../state/trail.js'
import { votesTaken } from '../../state/votes.js'
import { count, t } from '../../texts.js'
import { conditionOn } from '../events/query.js'
import NotFound from '../not-found.js'
import { Facts, History } from './facts.js'
import { MakePoint } from './make-point.js'
import { ownVote, readWhole, type Whole } from './read.js'
import { Votes } from './votes.js'

function Why({ of, whole }: { readonly of: ShownJob; readonly whole: Whole }) {
  const { explanation } = whole
  if (explanation === null) return null
  return (
    <section class="panel stack">
      <Answer of={of} explanation={explanation} />
      <Effects of={of} explanation={explanation} />
      <Provenance of={of} explanation={explanation} />
    </section>
  )
}

function SimilarPart({ of, eventId }: { readonly of: ShownJob; readonly eventId: string }) {
  const similar = useData(`similar ${of.job_id} ${eventId}`, (signal) => readSimilar(of.job_id, eventId, signal))
  return (
    <section class="panel" id="similar" tabIndex={-1}>
      <h2>{t('event.similar')}</h2>
      {similar.error === null ? null : <Failed error={similar.error} retry={similar.reload} />}
      {similar.value === null ? <Skeleton lines={4} /> : <Similar of={of} similar={similar.value} />}
    </section>
  )
}

function Raw({ of, whole }: { readonly of: ShownJob; readonly whole: Whole }) {
  const { route } = useLocation()
  const point = useSignal<string | null>(null)
  const { raw_body: body } = whole.event
  const filter = (path: string, value: string | number | boolean): void => {
    const query = new URLSearchParams({ q: conditionOn(path, value, whole.service) })
    route(addresses.events(of.job_id, query.toString()))
  }
  const tools = {
    filter: may('read:event_query') ? filter : null,
    point: may('write:resources') ? (path: string): void => void (point.value = path) : null,
    points: of.features,
  }
  // What enrichments added is part of the event, under one name.
  const { enrichment, ...sent } = body ?? {}
  return (
    <>
      {enrichment === undefined ? null : (
        <section class="panel">
          <h2>{t('event.enrichment')}</h2>
          <Tree value={{ enrichment }} more={2} {...tools} />
        </section>
      )}
      <section class="panel">
        <h2>{t('event.raw')}</h2>
        <Tree value={sent} {...tools} />
      </section>
      {point.value === null ? null : <MakePoint of={of} field={point.value} close={() => (point.value = null)} />}
    </>
  )
}

interface ShownProps {
  readonly of: ShownJob
  readonly whole: Whole
  /** Goes along the list that the event was opened from. */
  readonly go: (by: 1 | -1) => void
}

function Shown({ of, whole, go }: ShownProps) {
  const { event, reach } = whole
  const isNoting = useSignal(draftText(of.job_id, [whole.event.event_id]) !== '')
  const before = ownVote(whole)
  const eventId = event.event_id
  const title = titleOf(event)
  const after = (): void => {
    if (besideOf(of.job_id, eventId, 1) !== null) setTimeout(() => go(1))
  }
  const vote = (at: number): void => voteOn({ of, eventId, title, after }, at)
  useSubject(title)
  const mayNote = may('write:event_feedback')
  const company = useCompany(of.job_id, eventId)
  const assignee = assignees.value.get(eventId)
  const assign = (): void => void assignToMe(of.job_id, [eventId])
  useCommands({
    'vote.1': () => vote(0),
    'vote.2': () => vote(1),
    'vote.3': () => vote(2),
    back: () => history.back(),
    similar: () => document.getElementById('similar')?.scrollIntoView({ block: 'start' }),
    why: () => document.getElementById('main')?.scrollTo({ top: 0 }),
    ...(mayNote ? { note: () => (isNoting.value = true), assign } : {}),
  })
  return (
    <div class="page">
      <header class="card-head">
        <h1 class="bidi">{title}</h1>
        <p class="row dim">
          <a href={addresses.events(of.job_id)}>{of.title}</a>
          <span class="mono bidi">{eventId}</span>
          <Time at={event['@timestamp']} />
          {event.outlier ? (
            <span class="tag warn">
              <Icon name="triangle-alert" /> {t('events.outlier')}
            </span>
          ) : null}
        </p>
        <With assignee={assignee} company={company.now.value} />
      </header>
      <section class="stack">
        <VoteButtons of={of} eventId={eventId} title={title} before={before} after={after} />
        <div class="row">
          <span class="dim grow">{reach === null ? '' : count('next.reach', reach.applies_to_events)}</span>
          {mayNote ? (
            <button type="button" class="plain" onClick={assign}>
              <Icon name="user-check" /> {t(assignee === me() ? 'assign.release' : 'key.assign')} <Key of="assign" />
            </button>
          ) : null}
          {mayNote ? (
            <button type="button" class="plain" onClick={() => (isNoting.value = true)}>
              <Icon name="sticky-note" /> {t('key.note')} <Key of="note" />
            </button>
          ) : null}
        </div>
      </section>
      <div class="two">
        <div class="stack">
          <Why of={of} whole={whole} />
          <Notes notes={company.now.value.notes} />
          <Votes of={of} whole={whole} />
          {whole.explanation === null ? null : <SimilarPart of={of} eventId={eventId} />}
          <History whole={whole} />
        </div>
        <div class="stack">
          <Raw of={of} whole={whole} />
          <Facts of={of} whole={whole} />
        </div>
      </div>
      {isNoting.value ? (
        <NoteDialog
          jobId={of.job_id}
          eventIds={[eventId]}
          close={() => (isNoting.value = false)}
          saved={company.reload}
        />
      ) : null}
    </div>
  )
}

function EventOf({ of, eventId }: { readonly of: ShownJob; readonly eventId: string }) {
  const { route } = useLocation()
  /** Goes along the list that the event was opened from. */
  const go = (by: 1 | -1): void => {
    const beside = besideOf(of.job_id, eventId, by)
    if (beside === null) return say(t(isOnTrail(of.job_id, eventId) ? 'event.end' : 'event.no_list'))
    moveTo(beside)
    route(addresses.event(of.job_id, beside), true)
  }
  // While it is loaded, too: hands are faster.
  useCommands({ 'list.next': () => go(1), 'list.previous': () => go(-1) })
  // Votes change what is known: it is read again, and stays until it is there.
  const key = `event ${of.job_id} ${eventId}`
  const data = useData(key, (signal) => readWhole(of.job_id, eventId, signal))
  const subject = subjectKey(of.job_id, data.value?.event.bucket_id ?? null, eventId)
  const said = saidSince.value.get(subject)
  const isFirst = useRef(true)
  useEffect(() => {
    if (!isFirst.current) data.reload()
    isFirst.current = false
  }, [votesTaken.value, said])
  if (data.value !== null) return <Shown of={of} whole={data.value} go={go} />
  if (data.error !== null) return <Failed error={data.error} retry={data.reload} />
  if (data.isLoading) return <Skeleton lines={12} />
  return (
    <Empty isPage title={t('event.none')} text={t('event.none_text', { id: eventId })} icon="search">
      <a class="button" href={addresses.events(of.job_id)}>
        {t('place.events')}
      </a>
    </Empty>
  )
}

export default function EventPage() {
  const { params } = useRoute()
  const of = jobOfPage.value
  const { event = '' } = params
  return of === null ? <NotFound /> : <EventOf key={event} of={of} eventId={event} />
}
