import assert from 'node:assert/strict'
import { it } from 'node:test'
import { Agreement } from '../../../../engine/domain/metrics/agreement.js'

it("is Krippendorff's alpha of his nominal example", () => {
  // Krippendorff 2011, section C: four observers, twelve units, alpha 0.743.
  const units = ['111', '2232', '3333', '3333', '2222', '1234', '4444', '1112', '2222', '555', '11', '3']
  const agreement = new Agreement(5)
  for (const unit of units)
    agreement.add([1, 2, 3, 4, 5].map((label) => [...unit].filter((one) => Number(one) === label).length))
  const { alpha, subjects, unanimous } = agreement.figures()
  assert.ok(alpha !== null && Math.abs(alpha - 0.743) < 0.0005, String(alpha))
  assert.deepEqual([subjects, unanimous], [11, 8])
})

it('is 1 where all agree on one label, null where nobody votes twice', () => {
  const agreement = new Agreement(3)
  agreement.add([0, 1, 0])
  assert.equal(agreement.figures().alpha, null)
  agreement.add([0, 3, 0])
  assert.equal(agreement.figures().alpha, 1)
})
