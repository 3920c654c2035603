/** Events of CSV that arrives in lines. What CSV means is that of every reader (engine/domain/event/input/csv.ts). */
import { CsvError, CsvReader, type CsvEvent, type CsvOptions } from '../../../engine/domain/event/input/csv.js'
import { UsageError } from '../failure.js'

export type { CsvEvent }

/** @throws UsageError. */
function attempt<T>(work: () => T): T {
  try {
    return work()
  } catch (error) {
    throw error instanceof CsvError ? new UsageError(`CSV: ${error.message}`) : error
  }
}

/** An event for each record below the header. A record that is no event ends it, so that nothing is left out unseen. */
export async function* csvEvents(
  lines: AsyncIterable<string>,
  options: CsvOptions = {},
): AsyncGenerator<CsvEvent, void, void> {
  const reader = new CsvReader(options)
  for await (const line of lines) {
    const event = attempt(() => reader.take(line))
    if (event !== null) yield event
  }
  attempt(() => reader.end())
}
