import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { contractOf, deadlineOf, dueMicros, type ContractInput } from '../../../../engine/domain/autonomy/contract.js'
import { defaultLabels } from '../../../../engine/domain/job/labels.js'

const HOUR_MICROS = 3_600e6
const category = 'Decision intelligence'
const labels = defaultLabels(category).map((label) => ({ ...label, name: label.name })) as never
const job = { category, labels } as const
const nobody = { timeZone: 'Europe/Berlin', workingHours: '' }
const office = { timeZone: 'Europe/Berlin', workingHours: 'mon-fri 08:00-18:00' }
const input: ContractInput = { mode: 'off', labels: [] }
/** A Friday, 15:00 in Berlin. */
const friday = Date.parse('2026-11-27T14:00:00Z') * 1_000
const iso = (micros: number): string => new Date(micros / 1_000).toISOString()

describe('the deadline of an audit', () => {
  it('is three days by default, whatever day it is', () => {
    const contract = contractOf(input, job, nobody)
    assert.equal(iso(dueMicros(contract, {}, friday)), '2026-11-30T14:00:00.000Z')
  })

  it('is three working days where there are working hours: a Friday ends on Wednesday', () => {
    const contract = contractOf(input, job, office)
    assert.equal(contract.deadlineMicros, 30 * HOUR_MICROS)
    assert.equal(iso(dueMicros(contract, {}, friday)), '2026-12-02T14:00:00.000Z')
  })

  it('counts the working hours of the job as they are now', () => {
    const contract = contractOf({ ...input, auditDeadlineHours: 4 }, job, office)
    const settings = { working_hours: 'mon-fri 09:00-17:00, not 2026-11-30', time_zone: 'UTC' }
    assert.equal(iso(dueMicros(contract, settings, friday)), '2026-12-01T10:00:00.000Z')
  })

  it('counts every hour where the contract says so', () => {
    const contract = contractOf({ ...input, auditDeadlineWorkingHours: false }, job, office)
    assert.equal(iso(dueMicros(contract, {}, friday)), '2026-11-30T14:00:00.000Z')
  })

  it('is four weeks at most', () => {
    const contract = contractOf({ ...input, auditDeadlineHours: 100 }, job, {
      ...office,
      workingHours: 'mon 09:00-10:00',
    })
    assert.equal(iso(dueMicros(contract, {}, friday)), '2026-12-25T14:00:00.000Z')
  })

  it('is refused in working hours where there are none', () => {
    assert.throws(() => deadlineOf({ auditDeadlineWorkingHours: true }, nobody), { code: 'invalid_body' })
    assert.throws(() => deadlineOf({ auditDeadlineHours: 0 }, nobody), { code: 'invalid_body' })
  })
})
