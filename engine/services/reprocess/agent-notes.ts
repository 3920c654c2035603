/** The service of notes on events. Each note goes to the job's actor as a message (actor/notes.ts). */
import { Refusal } from '../../errors.js'
import { limits } from '../../limits.js'
import type { JobSettings } from '../../domain/job/job.js'
import type { JobHandle } from '../../api/principal.js'
import { encodeNote } from '../../actor/notes.js'
import type { NoteInput, NotesService } from '../../api/reprocess-service.js'
import type { ReadableShards } from '../read/job-reader.js'

export interface NotesDeps {
  readonly shards: ReadableShards
  /** The job as it is now. @throws Refusal job_not_found. */
  current(handle: JobHandle): JobSettings
  /** @throws Refusal draining. */
  mustAccept(): void
}

export class AgentNotes implements NotesService {
  readonly #deps: NotesDeps

  constructor(deps: NotesDeps) {
    this.#deps = deps
  }

  async add(handle: JobHandle, eventId: string, note: NoteInput): Promise<void> {
    this.#deps.mustAccept()
    const body = encodeNote(note)
    if (Buffer.byteLength(eventId) > limits.eventIdBytesMax) throw new Refusal('event_not_found', 'event not found')
    await this.#deps.shards.ask(this.#deps.current(handle), 'note', eventId, body)
  }
}
