import assert from 'node:assert/strict'
import { test } from 'node:test'
import { afterwards } from './afterwards.js'

test('resources are closed in reverse order, and a failure leaves nothing else open', async () => {
  const closed: string[] = []
  let end: (() => unknown) | undefined
  const ending = { after: (hook: () => unknown) => void (end = hook) }
  for (const name of ['directory', 'service', 'client']) {
    afterwards(ending, async () => {
      closed.push(name)
      if (name === 'client') throw new Error('already gone')
    })
  }
  await assert.rejects(async () => end?.(), { message: 'already gone' })
  assert.deepEqual(closed, ['client', 'service', 'directory'])
})
