/** What ingest loses to other work that runs as long as the load lasts. */
import type { Row } from '../harness/result.js'
import { driveBulk, type BulkDrive } from './drive.js'

interface Beside {
  /** The text of the row. */
  readonly what: string
  /** The name of the other work, for the name of the load without it and for the note: `queries`. */
  readonly named: string
  /** The least share of the load alone that must be left; null without a bar. */
  readonly atLeast: number | null
  /** Runs the other work once; it is called again until the load is over. */
  once(): Promise<unknown>
}

/** Runs the load alone, then beside the other work. @throws Error if a line was refused. */
export async function ingestBeside(load: BulkDrive, { what, named, atLeast, once }: Beside): Promise<Row> {
  const alone = await driveBulk(load)
  let over = false
  let times = 0
  const going = (async () => {
    for (; !over; times++) await once()
  })()
  const beside = await driveBulk(load).finally(() => (over = true))
  await going
  const [without, meanwhile] = [alone.events / alone.seconds, beside.events / beside.seconds]
  const ratio = meanwhile / without
  return {
    what,
    ours: meanwhile,
    unit: 'events/s',
    against: { name: `the same load without ${named}`, value: without },
    ratio,
    p99Ms: beside.p99Micros / 1000,
    bar: atLeast === null ? '' : `at least ${atLeast} of it`,
    met: atLeast === null ? null : ratio >= atLeast,
    note: `${times} ${named} meanwhile; p99 of a block without them ${(alone.p99Micros / 1000).toFixed(1)} ms`,
  }
}
