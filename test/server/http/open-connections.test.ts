import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { OpenConnections } from '../../../server/http/open-connections.js'

const address = (last: number): Uint8Array => Uint8Array.of(192, 0, 2, last)

describe('open connections', () => {
  it('are refused beyond the bound, and taken again when others close; refused ones count until they are closed', () => {
    const told: number[] = []
    const connections = new OpenConnections({ max: 4, nowMs: () => 0, refused: (open) => told.push(open) })
    assert.deepEqual(
      [1, 2, 3, 4, 5, 6].map((n) => connections.opened(address(n))),
      [true, true, true, true, false, false],
    )
    assert.deepEqual([connections.open, connections.refused, told], [6, 2, [5]])
    for (let i = 0; i < 3; i++) connections.closed()
    assert.equal(connections.opened(address(7)), true)
    assert.equal(connections.open, 4)
  })

  it('of one address are a quarter of the bound in some seconds, where more than half are in use', () => {
    let now = 0
    const connections = new OpenConnections({ max: 40, nowMs: () => now })
    const opened = (n: number, last: number): number =>
      Array.from({ length: n }, () => connections.opened(address(last))).filter((isTaken) => isTaken).length
    assert.equal(opened(20, 1), 20)
    assert.equal(opened(20, 1), 0)
    for (let i = 0; i < 20; i++) connections.closed()
    assert.equal(opened(11, 2), 10)
    connections.closed()
    assert.equal(opened(1, 3), 1)
    now += 12_000
    assert.equal(opened(20, 1), 9)
    assert.equal(connections.open - 11, 40)
  })

  it('are told of once a minute', () => {
    let [now, told] = [0, 0]
    const connections = new OpenConnections({ max: 1, nowMs: () => now, refused: () => told++ })
    for (let i = 0; i < 5; i++) connections.opened(address(i))
    assert.equal(told, 1)
    now += 60_000
    connections.opened(address(9))
    assert.equal(told, 2)
  })
})
