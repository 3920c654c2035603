import assert from 'node:assert/strict'
import { test } from 'node:test'
import { afterwards } from './afterwards.js'

test('what was opened last is closed first, and a failure keeps nothing else open', async () => {
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
