/** What the receivers of a turn are told when it came back. */
import { Refusal, type RefusalCode, type RefusalContext } from '../../errors.js'
import { eventIdOf } from '../../domain/event/event-id.js'
import type { JobSettings } from '../../domain/job/job.js'
import type { IngestReceiver } from '../../api/decision-service.js'
import type { EventAnswer } from '../../api/event-answer.js'
import { viewOf } from '../../actor/event-reply.js'
import {
  isEventReply,
  readEventReply,
  replyExtra,
  REPLY_BYTES,
  type Extra,
  type RefusalExtra,
} from '../../actor/reply.js'
import type { MailboxEvents, Receiver, ResultReceiver } from './turn-contract.js'

/** By place of its message. */
export interface TurnAnswers {
  readonly replies: Buffer
  readonly extras: readonly Extra[]
  readonly jobs: readonly JobSettings[]
  /** As the client gave it; null: in the body, or made by the service. */
  readonly ids: readonly (string | null)[]
  readonly receivers: readonly Receiver[]
  /** Where an earlier run may have stored the events, of which a later version may be there now; null elsewhere. */
  readonly times: readonly number[] | null
}

/** Tells every receiver its answer, in order. First tells `events` of each event whose job is not in `changed`. */
export function tellAnswers(
  { replies, extras, jobs, ids, receivers, times }: TurnAnswers,
  changed: readonly number[],
  events: Pick<MailboxEvents, 'added'>,
): void {
  for (let i = 0; i < receivers.length; i++) {
    const receiver = receivers[i] as Receiver
    const at = replyExtra(replies, i * REPLY_BYTES)
    const extra = at < 0 ? null : (extras[at] as Extra)
    if (extra?.type === 'refusal') receiver.refused(refusalOf(extra))
    else if (isEventReply(replies, i * REPLY_BYTES)) {
      const clientId = extra?.type === 'id' ? extra.eventId : (ids[i] as string | null)
      const job = jobs[i] as JobSettings
      const reply = readEventReply(replies, i * REPLY_BYTES)
      if (changed.length === 0 || !changed.includes(job.id)) events.added(job, clientId, reply)
      // Its id is made of its first time.
      const eventId = clientId ?? (times === null ? null : eventIdOf(times[i] as number))
      tellEvent(receiver as IngestReceiver, job, eventId, reply)
    } else (receiver as ResultReceiver).resolved(extra?.type === 'result' ? extra.result : null)
  }
}

/** `eventId` null: it is made of the reply's time. */
function tellEvent(receiver: IngestReceiver, job: JobSettings, eventId: string | null, reply: EventAnswer): void {
  if (receiver.answered !== undefined) receiver.answered(reply, eventId)
  else receiver.ingested(viewOf(job, eventId ?? eventIdOf(reply.micros), reply), reply.stored)
}

function refusalOf({ code, message, context }: RefusalExtra): Refusal {
  return new Refusal(code as RefusalCode, message, context as RefusalContext)
}
