import assert from 'node:assert/strict'
import { test } from 'node:test'
import { httpNotice } from '../../server/http/native.js'
import { httpKills } from './http-kill.js'

const skip = httpNotice === null ? false : 'several threads need uWebSockets.js'

test('kill -9 of a service with two threads of HTTP loses nothing that was acknowledged', { skip }, async () => {
  const { kills, acknowledged } = await httpKills(2, 2)
  assert.equal(kills, 2)
  assert.ok(acknowledged >= 200, `${acknowledged} events were acknowledged`)
})
