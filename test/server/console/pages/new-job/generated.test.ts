import assert from 'node:assert/strict'
import { test } from 'node:test'
import { generatedEvents } from '../../../../../server/console/pages/new-job/generated.js'
import { runSample } from '../../../../../engine/services/sample/run-sample.js'

test('the built-in stream is the same for the same seed, and suggests decision points that come again', () => {
  const events = generatedEvents(1_500, 1_767_225_600_000)
  assert.deepEqual(events, generatedEvents(1_500, 1_767_225_600_000))
  assert.equal(new Set(events.map(({ product }) => product)).size, 6)
  const { decisionPoints, buckets } = runSample(Buffer.from(JSON.stringify(events)), null)
  assert.ok(decisionPoints.length >= 3 && decisionPoints[0]?.startsWith('rule.'), decisionPoints.join())
  assert.ok(buckets > 20 && buckets < 400, String(buckets))
})
