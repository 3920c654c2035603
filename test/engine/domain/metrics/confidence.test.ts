import assert from 'node:assert/strict'
import { it } from 'node:test'
import { ConfidenceTally } from '../../../../engine/domain/metrics/confidence.js'

it('calibration error and Brier score are those counted by hand', () => {
  const tally = new ConfidenceTally()
  tally.add(0.95, true, 3)
  tally.add(0.95, false)
  tally.add(0.65, true)
  tally.add(0.2, null)
  tally.add(1, true)
  const { bins, brierScore, expectedCalibrationError, meanConfidence } = tally.figures()
  assert.deepEqual([bins[9]?.events, bins[9]?.judged, bins[9]?.right], [5, 5, 4])
  assert.deepEqual([bins[2]?.events, bins[2]?.judged, bins[2]?.shareRight], [1, 0, null])
  const error = (5 / 6) * Math.abs(4 / 5 - 4.8 / 5) + (1 / 6) * Math.abs(1 - 0.65)
  assert.ok(Math.abs((expectedCalibrationError as number) - error) < 1e-9)
  const brier = (3 * 0.05 ** 2 + 0.95 ** 2 + 0.35 ** 2 + 0) / 6
  assert.ok(Math.abs((brierScore as number) - brier) < 1e-9)
  assert.ok(Math.abs((meanConfidence as number) - (4 * 0.95 + 0.65 + 0.2 + 1) / 7) < 1e-9)
})

it('without events nothing is claimed', () => {
  const { brierScore, expectedCalibrationError, meanConfidence } = new ConfidenceTally().figures()
  assert.deepEqual([brierScore, expectedCalibrationError, meanConfidence], [null, null, null])
})
