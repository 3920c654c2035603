import assert from 'node:assert/strict'
import { test } from 'node:test'
import { HostPolicy } from '../../../../engine/integration/http/host-policy.js'
import { HttpClient, HttpFailure } from '../../../../engine/integration/http/http-client.js'

test('a header that cannot be sent is a failure with its name, but without its value', async () => {
  for (const authorization of ['Bearer secret\n', 'Bearer sécret→', 'Bearer secret\u0000']) {
    const client = new HttpClient({ policy: new HostPolicy(['127.0.0.1']), credentials: { authorization } })
    await assert.rejects(client.send({ method: 'POST', url: new URL('http://127.0.0.1:9/'), body: '{}' }), (error) => {
      assert.ok(error instanceof HttpFailure && !error.connected)
      assert.match(error.message, /header.*authorization/)
      assert.doesNotMatch(error.message, /cret/)
      return true
    })
    client.close()
  }
})
