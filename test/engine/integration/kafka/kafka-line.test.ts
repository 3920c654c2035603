import assert from 'node:assert/strict'
import { test } from 'node:test'
import kafka from 'kafkajs'
import { kafkaStoppable } from '../../../../engine/integration/kafka/kafka-line.js'

const never = new AbortController().signal
const unanswered = new kafka.KafkaJSRequestTimeoutError('Request Produce(key: 0, version: 3) timed out')

test('a cluster that does not answer is reported in the same sentence, whichever timeout fires first', async () => {
  const sentence = { message: 'no answer within 50 ms' }
  await assert.rejects(kafkaStoppable(new Promise(() => {}), never, 50), sentence)
  await assert.rejects(
    kafkaStoppable(
      Promise.reject(new kafka.KafkaJSNumberOfRetriesExceeded(unanswered, { retryCount: 2, retryTime: 3 })),
      never,
      50,
    ),
    sentence,
  )
})

test('other failures stay unchanged', async () => {
  const refused = new kafka.KafkaJSConnectionError('connection refused')
  await assert.rejects(kafkaStoppable(Promise.reject(refused), never, 50), refused)
  await assert.rejects(kafkaStoppable(new Promise(() => {}), AbortSignal.abort(), 50), { message: 'stopped' })
})
