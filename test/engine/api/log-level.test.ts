import assert from 'node:assert/strict'
import { test } from 'node:test'
import { levelForAll, parseLogLevels } from '../../../engine/api/log-level.js'

test('one level is for all, and others for single components', () => {
  assert.deepEqual(parseLogLevels('warn'), levelForAll('warn'))
  assert.deepEqual(parseLogLevels(' Info , api=debug,trainer = error'), {
    ...levelForAll('info'),
    api: 'debug',
    trainer: 'error',
  })
  assert.deepEqual(parseLogLevels('store=trace'), { ...levelForAll('info'), store: 'trace' })
})

test('what is written otherwise is no levels', () => {
  for (const text of ['', 'loud', 'api', 'info,debug', 'api=debug=info', 'nobody=info', 'api=', 'info,,api=debug']) {
    assert.equal(parseLogLevels(text), null, text)
  }
})
