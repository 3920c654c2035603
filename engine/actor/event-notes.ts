/** Takes notes on events in, on the main thread. What a note does to the store is in notes.ts. */
import { Refusal } from '../errors.js'
import type { JobSettings } from '../job/job.js'
import { limits } from '../limits.js'
import type { JobHandle } from '../service.js'
import { encodeNote } from './notes.js'
import type { NoteInput, NotesService } from './reprocess-service.js'
import type { Shards } from './shards.js'

export interface NotesParts {
  readonly shards: Shards
  /** The job as it is now. @throws Refusal job_not_found. */
  current(handle: JobHandle): JobSettings
  /** @throws Refusal draining. */
  mustAccept(): void
}

export class Notes implements NotesService {
  readonly #parts: NotesParts

  constructor(parts: NotesParts) {
    this.#parts = parts
  }

  async add(handle: JobHandle, eventId: string, note: NoteInput): Promise<void> {
    this.#parts.mustAccept()
    const body = encodeNote(note)
    if (Buffer.byteLength(eventId) > limits.eventIdBytesMax) throw new Refusal('event_not_found', 'event not found')
    await this.#parts.shards.ask(this.#parts.current(handle), 'note', eventId, body)
  }
}
