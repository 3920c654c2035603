import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readSettings } from '../../server/config.js'

const read = (env: Record<string, string>): ReturnType<typeof readSettings> => readSettings(env, [])

test('a node has its servers, and finds their monitoring addresses itself', () => {
  const { cluster, clusterTrial } = read({ SERVICE_CLUSTER: 'nats://a:4222, b:4222' })
  assert.deepEqual(cluster, ['nats://a:4222', 'b:4222'])
  assert.equal(clusterTrial, false)
})

test('settings of a cluster that cannot work are refused with a sentence', () => {
  const SERVICE_CLUSTER = 'nats://a:4222'
  assert.throws(() => read({ SERVICE_CLUSTER: 'http://a:4222' }), /SERVICE_CLUSTER must be addresses/)
  assert.throws(() => read({ SERVICE_CLUSTER_URL: 'http://a:1' }), /no effect without SERVICE_CLUSTER/)
  assert.throws(() => read({ SERVICE_CLUSTER, SERVICE_HOST: '0.0.0.0' }), /SERVICE_CLUSTER_URL is needed/)
  assert.throws(() => read({ SERVICE_CLUSTER, SERVICE_CLUSTER_SEALING_KEY: 'short' }), /64 hexadecimal digits/)
  const both = { SERVICE_CLUSTER_NKEY_FILE: 'a', SERVICE_CLUSTER_CREDENTIALS_FILE: 'b' }
  assert.throws(() => read({ SERVICE_CLUSTER, ...both }), /exclude each other/)
  assert.throws(() => read({ SERVICE_CLUSTER, SERVICE_CLUSTER_CERT_FILE: 'a' }), /must be set together/)
})
