import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ManualClock } from '../../../engine/clock.js'
import { jobFedBySearch } from '../../support/resource-store.js'
import { openParts } from '../../support/engine/wired.js'
import { testAuthor } from '../../support/author.js'

test('a step begins behind what came in before it and ahead of what comes after it, though the clock was set back', async (context) => {
  const clock = new ManualClock()
  let parts = await openParts(context, clock)
  const begins = (): number => {
    for (const enabled of [false, true]) parts.resources.apply(jobFedBySearch(enabled), true, testAuthor)
    return parts.resources.jobByTitle('a job')!.pipeline.find(({ role }) => role === 'input')!.outsideSince!
  }
  const times = [parts.shards.takeTime(), begins()]
  clock.advanceMs(-3_600_000)
  times.push(parts.shards.takeTime(), begins(), parts.shards.takeTime(), begins())
  await parts.close()
  parts = await openParts(context, clock, parts.dataDir)
  times.push(parts.shards.takeTime())
  assert.deepEqual(
    times,
    [...new Set(times)].sort((a, b) => a - b),
  )
})
