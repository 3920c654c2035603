import assert from 'node:assert/strict'
import { it } from 'node:test'
import { Pseudonyms } from '../../../../engine/domain/metrics/pseudonyms.js'

it('are the same within an answer, others in the next and of another kind, and hold nothing of the name', () => {
  const [one, two] = [new Pseudonyms('user', Buffer.alloc(32, 1)), new Pseudonyms('user', Buffer.alloc(32, 2))]
  assert.equal(one.of('ann'), one.of('ann'))
  assert.notEqual(one.of('ann'), one.of('bob'))
  assert.notEqual(one.of('ann'), two.of('ann'))
  assert.notEqual(
    one.of('ann').split('_').at(-1),
    new Pseudonyms('decision_point', Buffer.alloc(32, 1)).of('ann').split('_').at(-1),
  )
  assert.match(one.of('ann'), /^user_[0-9a-f]{12}$/)
})
