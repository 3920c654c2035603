import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { ManualClock } from '../../../../engine/clock.js'
import { scopesOfRole } from '../../../../engine/api/scopes.js'
import { MachineClock } from '../../../../engine/services/monitor/machine-clock.js'
import { openParts } from '../../../support/engine/wired.js'

interface Watched {
  readonly clock: ManualClock
  readonly lines: string[]
  behindSeconds: number
  /** Both clocks run for so long, then the watch looks. */
  pass(seconds: number): void
}

function watched(): Watched {
  const clock = new ManualClock()
  const lines: string[] = []
  const line = (level: string) => (message: string) => void lines.push(`${level} ${message}`)
  const log = {
    enabled: () => true,
    debug: line('debug'),
    info: line('info'),
    warn: line('warn'),
    error: line('error'),
  }
  let monotonicMs = 0
  const state: Watched = { clock, lines, behindSeconds: 0, pass: () => {} }
  const shards = {
    get clockBehindSeconds() {
      return state.behindSeconds
    },
  }
  const watch = new MachineClock({ clock, shards, log: () => log, monotonicMs: () => monotonicMs })
  state.pass = (seconds) => {
    monotonicMs += seconds * 1000
    clock.advanceMs(seconds * 1000)
    watch.check()
  }
  return state
}

describe('the clock of the machine', () => {
  it('is logged where it jumps, forward and back, and not while it runs', () => {
    const { clock, lines, pass } = watched()
    for (let i = 0; i < 10; i++) pass(10)
    assert.deepEqual(lines, [])
    clock.advanceMs(3_600_000)
    pass(10)
    assert.equal(lines.length, 1)
    clock.advanceMs(-3_600_000)
    pass(10)
    pass(10)
    assert.deepEqual(
      (lines as readonly string[]).map((text) => text.split(':')[0]),
      ['warn the clock of the machine jumped', 'warn the clock of the machine jumped'],
    )
  })

  it('is logged once where it is behind, and once where it has caught up', () => {
    const state = watched()
    state.behindSeconds = 90
    for (let i = 0; i < 5; i++) state.pass(10)
    state.behindSeconds = 0
    for (let i = 0; i < 5; i++) state.pass(10)
    assert.equal(state.lines.length, 2)
    assert.match(state.lines[0] as string, /^warn .* 90 s behind/)
    assert.match(state.lines[1] as string, /^info .* caught up/)
  })

  it('is told by its container, the health and a watchdog while it is behind', async (test) => {
    const clock = new ManualClock()
    const { monitor, shards } = await openParts(test, clock)
    const by = { kind: 'user', name: 'tester', scopes: scopesOfRole.administrator }
    const condition = { title: 'clock', type: 'clock', condition: 'clock_behind_seconds', jobId: null } as const
    const { id } = monitor.watchdogs.create({ ...condition, forSeconds: 0 }, by)
    const main = { component: 'api', container: 'main' } as const
    shards.takeTime()
    assert.equal(monitor.clockTrouble, null)
    assert.equal((await monitor.containers.one(main)).health, 'healthy')
    clock.advanceMs(-3_600_000)
    await monitor.watchdogs.checks.run()
    assert.equal(monitor.watchdogs.get(id).state, 'firing')
    assert.match(monitor.clockTrouble ?? '', /3600 s behind/)
    const { health, reason } = await monitor.containers.one(main)
    assert.equal(health, 'degraded')
    assert.match(reason, /set back/)
    clock.advanceMs(3_600_000)
    assert.equal(monitor.clockTrouble, null)
  })
})
