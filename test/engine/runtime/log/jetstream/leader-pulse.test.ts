/** Whether the leader of a stream answers: what waits for one that does not is given up. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { LeaderPulse } from '../../../../../engine/runtime/log/jetstream/leader-pulse.js'
import { LogUnavailable } from '../../../../../engine/runtime/log/turn-log.js'

const never = new Promise<never>(() => {})
const soon = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))
const givenUp = (work: Promise<unknown>): Promise<void> =>
  assert.rejects(work, (error) => error instanceof LogUnavailable)

/** Beats until the leader is silent; returns how often. */
function untilSilent(pulse: LeaderPulse): number {
  let beats = 0
  while (!pulse.isSilent && beats < 100) {
    pulse.beat()
    beats++
  }
  return beats
}

describe('the leader of a stream', () => {
  it('is silent after some questions without an answer: what waits for it, and what comes, is given up', async () => {
    const pulse = new LeaderPulse(() => never)
    pulse.beat()
    const waiting = pulse.whileHeard(never)
    assert.ok(untilSilent(pulse) > 1)
    await givenUp(waiting)
    await givenUp(pulse.whileHeard(never))
  })

  it('is silent, too, where every question is refused', async () => {
    const pulse = new LeaderPulse(async () => {
      throw new Error('no responders')
    })
    const waiting = pulse.whileHeard(never)
    untilSilent(pulse)
    await givenUp(waiting)
    await soon()
    assert.equal(pulse.isSilent, true)
  })

  it('is heard again with the first answer, even to an early question', async () => {
    let answer = (): void => {}
    const pulse = new LeaderPulse(() => new Promise<void>((resolve) => (answer = resolve)))
    pulse.beat()
    const first = answer
    untilSilent(pulse)
    first()
    await soon()
    assert.equal(pulse.isSilent, false)
    assert.equal(await pulse.whileHeard(Promise.resolve(7)), 7)
  })

  it('may take long for something else, as long as it answers', async () => {
    const pulse = new LeaderPulse(async () => {})
    let done = (_: string): void => {}
    const waiting = pulse.whileHeard(new Promise<string>((resolve) => (done = resolve)))
    for (let beats = 0; beats < 50; beats++) {
      pulse.beat()
      await soon()
    }
    done('stored')
    assert.equal(await waiting, 'stored')
  })

  it('leaves the failure of the work as it is', async () => {
    const pulse = new LeaderPulse(async () => {})
    await assert.rejects(pulse.whileHeard(Promise.reject(new Error('moved'))), /moved/)
  })
})
