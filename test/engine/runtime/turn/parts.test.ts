/** What becomes of the messages of a turn whose shard goes to another process. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { nextMessage, readMessage, readTimes } from '../../../../engine/actor/message.js'
import { Turn } from '../../../../engine/runtime/turn/turn.js'
import { jobSettings } from '../../../support/engine/shard.js'

const job = jobSettings()
const start = { shard: 0, place: 3, settings: [], opens: true, handsOver: false }

/** A turn of messages with these bodies, and what their receivers were told. Those with a `*` are of another node. */
function turnOf(...bodies: string[]) {
  const turn = new Turn(4_096, 16)
  const told: string[] = []
  for (const [at, text] of bodies.entries()) {
    const moved = (mayBeLogged: boolean): void => void told.push(`${text} ${mayBeLogged ? 'unclear' : 'moved'}`)
    const receiver = {
      resolved: () => {},
      refused: () => told.push(`${text} refused`),
      ...(text.endsWith('*') ? { moved } : {}),
    }
    turn.add({ job, kind: 'note', eventId: `e${at}`, idInBody: false, body: Buffer.from(text), receiver }, 100 + at)
  }
  return { turn, told }
}

function bodiesOf(turn: Turn): string[] {
  const memory = Buffer.from(turn.memory)
  const bodies: string[] = []
  for (let at = 0; bodies.length < turn.count; at = nextMessage(memory, at))
    bodies.push(readMessage(memory, at, 0).body.toString())
  return bodies
}

describe('a turn whose shard goes to another process', () => {
  it('gives back the messages of other nodes, and keeps the others in order', () => {
    const { turn, told } = turnOf('a', 'long message*', 'c', 'd*')
    const { bytes } = turn
    const foreign = turn.takeForeign() as Turn
    assert.deepEqual(
      [bodiesOf(turn), bodiesOf(foreign)],
      [
        ['a', 'c'],
        ['long message*', 'd*'],
      ],
    )
    assert.equal(turn.bytes + foreign.bytes, bytes)
    foreign.giveBack()
    assert.deepEqual(told, ['long message* moved', 'd* moved'])
    assert.equal(turn.takeForeign(), null)
  })

  it('says of those that the log may have that this is not known', () => {
    const { turn, told } = turnOf('a*')
    turn.cameBack({ mayBeLogged: { behind: 3, begun: 1 } })
    ;(turn.takeForeign() as Turn).giveBack()
    assert.deepEqual(told, ['a* unclear'])
  })

  it('is looked for in the log from where it was first not known, and only when the shard goes', () => {
    const { turn } = turnOf('a')
    turn.cameBack({ mayBeLogged: { behind: 3, begun: 1 } })
    turn.cameBack({ mayBeLogged: { behind: 9, begun: 1 } })
    assert.equal(turn.task(start).unresolved, undefined)
    assert.equal(turn.doubt.mayMove(), true)
    assert.deepEqual(turn.task(start).unresolved, { behind: 3, begun: 1 })
  })

  it('is not moved where nobody knows from where on the log may have it', () => {
    const { turn } = turnOf('a')
    turn.cameBack({ mayBeLogged: true })
    turn.cameBack({ mayBeLogged: { behind: 9, begun: 1 } })
    assert.equal(turn.doubt.mayMove(), false)
  })

  it('is two turns after that: what the log has under its times there, which stay, and the rest', () => {
    const { turn } = turnOf('a', 'b', 'c')
    turn.cameBack({ unresolved: { behind: 3, since: 1 } })
    const [logged, rest, ...more] = turn.cameBack({ found: [9, 0, 7] })
    assert.deepEqual(more, [])
    assert.deepEqual([bodiesOf(logged!), bodiesOf(rest!)], [['c', 'a'], ['b']])
    const { memory, isLogged, again, unresolved } = logged!.task(start)
    assert.deepEqual([readTimes(Buffer.from(memory), 2), isLogged, again, unresolved], [[7, 9], true, true, undefined])
    assert.equal(
      logged!.moveBehind(500, () => 501),
      500,
    )
    logged!.cameBack({ mayBeLogged: { behind: 100, begun: 1 } })
    assert.equal(logged!.doubt.mayMove(), true)
    assert.equal(logged!.task(start).unresolved, undefined, 'it is not looked for again')
    assert.deepEqual([rest!.task(start).isLogged, rest!.task(start).unresolved], [undefined, undefined])
  })
})
