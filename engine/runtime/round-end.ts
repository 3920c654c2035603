/**
 * Work for the end of this round of the event loop, when everything that has arrived has been read.
 *
 * Work that is added while other work runs belongs to the same round. So what a request adds to a mailbox at the end of
 * a round is in the turn that begins then.
 */
let works: (() => void)[] = []
let spare: (() => void)[] = []

/** Calls the work once, at the end of this round. */
export function atRoundEnd(work: () => void): void {
  if (works.push(work) === 1) setImmediate(run)
}

function run(): void {
  let done = 0
  try {
    while (done < works.length) works[done++]!()
  } finally {
    // After an exception the rest runs in the next round.
    const rest = works.slice(done)
    ;[works, spare] = [spare, works]
    spare.length = 0
    for (const work of rest) atRoundEnd(work)
  }
}
