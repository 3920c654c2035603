/** The event that is asked about: large, with why, neighbours and how far an answer reaches. */
import { useSignal } from '@preact/signals'
import { useLayoutEffect, useRef } from 'preact/hooks'
import { addresses } from '../../addresses.js'
import { Failed, Skeleton } from '../../parts/feedback.js'
import { Icon } from '../../parts/icon.js'
import { Key } from '../../parts/keys.js'
import { NoteDialog } from '../../parts/note.js'
import { Nearest, Similar } from '../../parts/similar.js'
import { Time } from '../../parts/time.js'
import { With } from '../../parts/with.js'
import { VoteButtons } from '../../parts/votes.js'
import { Answer, Effects, Provenance } from '../../parts/why.js'
import { may } from '../../state/api.js'
import { useData } from '../../state/data.js'
import { readSimilar, type Known } from '../../state/events.js'
import { assignees, assignToMe, useCompany } from '../../state/handling.js'
import type { ShownJob } from '../../state/jobs.js'
import { useCommands } from '../../state/keys.js'
import { count, t } from '../../texts.js'
import { Fields } from './fields.js'
import { HiddenAnswer, isHidden } from './hiding.js'
import type { Waiting } from './queue.js'

interface CardProps {
  readonly of: ShownJob
  readonly item: Waiting
  /** Null while it is loaded. */
  readonly known: Known | null
  /** Goes on to the next event. */
  readonly after: () => void
}

function SimilarPart({ of, eventId }: { readonly of: ShownJob; readonly eventId: string }) {
  const similar = useData(`similar ${of.job_id} ${eventId}`, (signal) => readSimilar(of.job_id, eventId, signal))
  const ref = useRef<HTMLElement>(null)
  const isThere = similar.value !== null
  // They are below everything else: who asks for them sees them.
  useLayoutEffect(() => {
    if (isThere) ref.current?.scrollIntoView({ block: 'nearest' })
  }, [isThere])
  if (similar.error !== null) return <Failed error={similar.error} retry={similar.reload} />
  if (similar.value === null) return <Skeleton lines={3} />
  return (
    <section ref={ref} class="above-answers">
      <Similar of={of} similar={similar.value} />
    </section>
  )
}

function Body({ of, item, known, isWhyOpen }: CardProps & { readonly known: Known; readonly isWhyOpen: boolean }) {
  const { event, reach } = known
  const hides = isHidden(item) && (known.explanation?.decision.result_label ?? '') !== ''
  const explanation = hides ? null : known.explanation
  return (
    <>
      {hides ? <HiddenAnswer item={item} /> : null}
      {explanation === null ? null : (
        <>
          <Answer of={of} explanation={explanation} />
          <Effects of={of} explanation={explanation} isBrief={!isWhyOpen} />
          {isWhyOpen ? <Provenance of={of} explanation={explanation} /> : null}
        </>
      )}
      {event === null ? null : <Fields of={of} event={event} />}
      {explanation === null ? null : <Nearest of={of} explanation={explanation} eventId={item.eventId} />}
      <p>
        {item.promise === '' ? '' : `${item.promise} `}
        {reach === null ? '' : count('next.reach', reach.applies_to_events)}
      </p>
    </>
  )
}

export function Card({ of, item, known, after }: CardProps) {
  const isWhyOpen = useSignal(false)
  const isSimilarOpen = useSignal(false)
  const isNoting = useSignal(false)
  const mayNote = may('write:event_feedback')
  const company = useCompany(of.job_id, item.eventId)
  const assignee = assignees.value.get(item.eventId)
  useCommands({
    why: () => (isWhyOpen.value = !isWhyOpen.value),
    similar: () => (isSimilarOpen.value = !isSimilarOpen.value),
    ...(mayNote
      ? { note: () => (isNoting.value = true), assign: () => void assignToMe(of.job_id, [item.eventId]) }
      : {}),
  })
  return (
    <div>
      <header class="card-head">
        <h1 class="bidi">{item.title}</h1>
        <p class="dim">
          {item.reason} · <Time at={item.at} /> · <span class="mono bidi">{item.eventId}</span>
        </p>
        <With assignee={assignee} company={company.now.value} />
      </header>
      {known === null ? (
        <Skeleton lines={7} />
      ) : (
        <Body of={of} item={item} known={known} after={after} isWhyOpen={isWhyOpen.value} />
      )}
      {isSimilarOpen.value ? <SimilarPart of={of} eventId={item.eventId} /> : null}
      <div class="answer-bar">
        <VoteButtons
          of={of}
          eventId={item.eventId}
          title={item.title}
          before={null}
          pickedBy={item.pickedBy}
          after={() => setTimeout(after)}
        />
        <div class="actions">
          <button type="button" class="plain" onClick={after}>
            {t('key.skip')} <Key of="skip" />
          </button>
          <button
            type="button"
            class="plain"
            aria-pressed={isWhyOpen.value}
            onClick={() => (isWhyOpen.value = !isWhyOpen.value)}
          >
            {t('key.why')} <Key of="why" />
          </button>
          <button
            type="button"
            class="plain"
            aria-pressed={isSimilarOpen.value}
            onClick={() => (isSimilarOpen.value = !isSimilarOpen.value)}
          >
            {t('key.similar')} <Key of="similar" />
          </button>
          {mayNote ? (
            <button type="button" class="plain" onClick={() => (isNoting.value = true)}>
              <Icon name="sticky-note" /> {t('key.note')} <Key of="note" />
            </button>
          ) : null}
          {mayNote ? (
            <button type="button" class="plain" onClick={() => void assignToMe(of.job_id, [item.eventId])}>
              <Icon name="user-check" /> {t('key.assign')} <Key of="assign" />
            </button>
          ) : null}
          <a class="button plain" href={addresses.event(of.job_id, item.eventId)}>
            {t('next.whole')} <Key of="list.open" />
          </a>
        </div>
      </div>
      {isNoting.value ? (
        <NoteDialog
          jobId={of.job_id}
          eventIds={[item.eventId]}
          close={() => (isNoting.value = false)}
          saved={company.reload}
        />
      ) : null}
    </div>
  )
}
