/**
 * Lines in batches, as they come: a batch is full, or its first line has waited long enough.
 *
 * A line is taken from the source when a batch is wanted, never before.
 */
import type { EventLine } from '#client-operations'
import type { Clock } from './transport.js'

/** A line, or its JSON text. */
export type Line = EventLine | string

/** Lines that are sent together. */
export interface Batch {
  readonly lines: number
  /** What is sent for its lines, without the first `done` of them. */
  body(done: number): string | Uint8Array<ArrayBuffer>
  /** Each of its lines has an event id. */
  isRepeatable(): boolean
}

export interface BatchBounds {
  readonly lines: number
  /** Characters of all lines of a batch. A single line may be longer. */
  readonly chars: number
  /** How long a line waits for others, in milliseconds. */
  readonly lingerMs: number
}

function textOf(line: Line): string {
  if (typeof line !== 'string') return JSON.stringify(line)
  if (/[\n\r]/.test(line.trim())) throw new TypeError('a line must not have line breaks inside')
  return line.trim()
}

function hasId(line: string): boolean {
  try {
    // 0 is an id, too; it is rare, and such a batch is only not sent again.
    return Boolean((JSON.parse(line) as { event_id?: unknown } | null)?.event_id)
  } catch {
    return false
  }
}

/** The lines as JSON texts, without blank ones. */
export async function* batchesOf(
  lines: Iterable<Line> | AsyncIterable<Line>,
  bounds: BatchBounds,
  clock: Clock,
): AsyncGenerator<Batch, void, void> {
  const source = Symbol.asyncIterator in lines ? lines[Symbol.asyncIterator]() : lines[Symbol.iterator]()
  const isAsync = Symbol.asyncIterator in lines
  let next: ReturnType<typeof source.next> | undefined
  let isOver = false
  try {
    while (!isOver) {
      const batch: string[] = []
      let chars = 0
      let late: Promise<null> | undefined
      let cancel = (): void => {}
      while (batch.length < bounds.lines && chars < bounds.chars) {
        next ??= source.next()
        const got = late === undefined ? await next : isAsync ? await Promise.race([next, late]) : await next
        if (got === null) break
        next = undefined
        if (got.done) {
          isOver = true
          break
        }
        const text = textOf(got.value)
        if (text === '') continue
        batch.push(text)
        chars += text.length
        late ??= new Promise((resolve) => {
          cancel = clock.after(bounds.lingerMs, () => resolve(null))
        })
      }
      cancel()
      if (batch.length > 0) {
        yield {
          lines: batch.length,
          body: (done) => `${batch.slice(done).join('\n')}\n`,
          isRepeatable: () => batch.every(hasId),
        }
      }
    }
  } finally {
    // A source that is asked for a line ends when it has one: nobody waits for that.
    if (!isOver) void Promise.resolve(source.return?.()).catch(() => {})
  }
}
