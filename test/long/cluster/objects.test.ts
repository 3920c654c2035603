/** Objects in a bucket of a real NATS server: whole, in order, and gone without remains. */
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { after, describe, it } from 'node:test'
import { jetstream, jetstreamManager } from '@nats-io/jetstream'
import { Objm } from '@nats-io/obj'
import type { NatsConnection } from '@nats-io/transport-node'
import { ObjectBucket, ObjectDamaged } from '../../../engine/runtime/log/jetstream/object-bucket.js'
import { counterpart, skipUnless } from '../integrations/counterparts.js'
import { NatsCluster, natsServer } from './nats-cluster.js'

const program = counterpart('nats-server', natsServer)
const skip = skipUnless(program, 'nats-server')
const cluster = program === null ? null : await NatsCluster.open(program, 'always', 1)
let connection: NatsConnection | null = null

after(async () => {
  await connection?.close()
  await cluster?.close()
})

async function bucket(name: string) {
  connection ??= await (cluster as NatsCluster).connect()
  const [js, manager] = [jetstream(connection), await jetstreamManager(connection)]
  const objects = new ObjectBucket({ js, manager, bucket: name, replicas: 1 })
  const subjects = async (): Promise<string[]> =>
    Object.keys((await manager.streams.info(`OBJ_${name}`, { subjects_filter: '>' })).state.subjects ?? {})
  return { js, manager, objects, subjects }
}

async function bytesOf(pieces: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const all: Uint8Array[] = []
  for await (const piece of pieces) all.push(piece)
  return Buffer.concat(all)
}

describe('a bucket of objects', { skip }, () => {
  it('gives what was stored, of any length, as the library of NATS does', async () => {
    const { js, objects } = await bucket('whole')
    for (const length of [0, 1, 128 * 1024, 20_000_001]) {
      const bytes = randomBytes(length)
      const name = `shard-0.${length}`
      await objects.put(name, [bytes.subarray(0, length >> 1), bytes.subarray(length >> 1)])
      assert.ok((await bytesOf(objects.get(name))).equals(bytes))
      const theirs = await (await new Objm(js).open('whole')).getBlob(name)
      if (length > 0) assert.ok(Buffer.from(theirs ?? []).equals(bytes))
    }
    assert.equal((await objects.names()).length, 4)
    assert.ok(await objects.has('shard-0.1'))
  })

  it('has nothing of an object that was deleted, or that was not completed', async () => {
    const { js, objects, subjects } = await bucket('gone')
    await objects.put('one', [randomBytes(300_000)])
    await objects.put('two', [randomBytes(300_000)])
    await objects.delete('one')
    await objects.delete('never')
    assert.equal((await subjects()).length, 2)
    await assert.rejects(bytesOf(objects.get('one')), ObjectDamaged)
    const failing = (async function* () {
      yield randomBytes(200_000)
      throw new Error('the disk is gone')
    })()
    await assert.rejects(objects.put('three', failing), /the disk is gone/)
    assert.equal((await subjects()).length, 2)
    // A process that died in the middle.
    await js.publish('$O.gone.C.abandoned', randomBytes(1_000))
    await objects.deleteRemains()
    assert.equal((await subjects()).length, 3)
    await objects.deleteRemains(-1)
    assert.equal((await subjects()).length, 2)
    assert.equal((await bytesOf(objects.get('two'))).length, 300_000)
  })

  it('notices chunks that are lost, and bytes that are others', async () => {
    const { manager, objects, subjects } = await bucket('damaged')
    await objects.put('one', [randomBytes(500_000)])
    const chunks = (await subjects()).find((subject) => subject.includes('.C.')) as string
    const last = await manager.streams.getMessage('OBJ_damaged', { last_by_subj: chunks })
    await manager.streams.deleteMessage('OBJ_damaged', last?.seq ?? 0)
    await assert.rejects(bytesOf(objects.get('one')), /chunks of the object one are missing/)
    await connection?.request(chunks, randomBytes(last?.data.length ?? 0))
    await assert.rejects(bytesOf(objects.get('one')), /the object one is not what was stored/)
  })
})
