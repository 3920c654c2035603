import assert from 'node:assert/strict'
import { describe, it, type TestContext } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { Parcels } from '../../../../../engine/runtime/log/jetstream/parcels.js'
import { afterwards } from '../../../../support/afterwards.js'
import { Bus } from '../../../../support/cluster/bus.js'
import { until } from '../../../../support/until.js'

const never = (): boolean => false

/** Two processes. The second one runs what it gets, and notes it. */
function processes(test: TestContext, bus: Bus) {
  const of = (process: string): Parcels => {
    const parcels = new Parcels({ connection: bus.connection, name: 'service', process })
    afterwards(test, () => parcels.close())
    return parcels
  }
  const ran: string[] = []
  const [from, to] = [of('one'), of('two')]
  to.serve(async (bytes) => {
    ran.push(Buffer.from(bytes).toString('latin1').slice(0, 8))
    await sleep(1)
    return Buffer.concat([Buffer.from('answer '), bytes])
  })
  const ask = async (text: string): Promise<string> => {
    const sent = await from.request('two', Buffer.from(text), never)
    return typeof sent === 'string' ? sent : Buffer.from(sent.answer).toString('latin1')
  }
  return { from, ran, ask }
}

describe('parcels', () => {
  it('bring a request of any size, and its answer', async (test) => {
    const { ask } = processes(test, new Bus(2_048))
    const long = 'x'.repeat(20_000)
    assert.deepEqual(await Promise.all([ask('short'), ask(''), ask(long)]), [
      'answer short',
      'answer ',
      `answer ${long}`,
    ])
  })

  it('say that nobody has got a request where nobody listens', async (test) => {
    const { from } = processes(test, new Bus())
    assert.equal(await from.request('three', Buffer.from('a'), never), 'gone')
  })

  it('find out that a request was lost, and it is not run when it comes after all', async (test) => {
    const bus = new Bus(2_048)
    const { ask, ran } = processes(test, bus)
    const lost: Parameters<Bus['bring']>[0][] = []
    // The second part of the first parcel.
    bus.loses = (message) => message.subject === 'service.to.two' && message.data[0] === 1 && lost.push(message) === 1
    assert.equal(await ask('y'.repeat(2_000)), 'gone')
    assert.equal(await ask('second'), 'answer second')
    const [late] = lost
    bus.bring(late as (typeof lost)[number])
    // As a whole, too.
    bus.bring({
      ...(late as (typeof lost)[number]),
      data: Buffer.concat([Buffer.from([0, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0])]),
    })
    await sleep(20)
    assert.deepEqual(ran, ['second'])
  })

  it('bring an answer again that was lost, and run nothing twice', async (test) => {
    const bus = new Bus()
    const { ask, ran } = processes(test, bus)
    let lost = 0
    bus.loses = ({ subject }) => subject.startsWith('service.answers.one') && ++lost === 1
    assert.equal(await ask('first'), 'answer first')
    assert.deepEqual(ran, ['first'])
    assert.equal(lost, 2)
  })

  it('are unclear where their process is past, and have no answer', async (test) => {
    const bus = new Bus()
    const { from, ran } = processes(test, bus)
    let isPast = false
    bus.loses = ({ subject }) => subject.startsWith('service.answers.one')
    const sent = from.request('two', Buffer.from('a'), () => isPast)
    await until(() => ran.length === 1)
    isPast = true
    assert.equal(await sent, 'unclear')
  })

  it('do not count as gone where their process went away after it had got them', async () => {
    const bus = new Bus()
    const one = new Parcels({ connection: bus.connection, name: 'service', process: 'one' })
    const two = new Parcels({ connection: bus.connection, name: 'service', process: 'two' })
    let isPast = false
    two.serve(async () => {
      two.close()
      setTimeout(() => (isPast = true), 600)
      return await new Promise<never>(() => {})
    })
    assert.equal(await one.request('two', Buffer.from('a'), () => isPast), 'unclear')
    one.close()
  })
})
