import assert from 'node:assert/strict'
import { it } from 'node:test'
import { divergence, entropy, mutualInformation } from '../../../../engine/domain/metrics/divergence.js'

const near = (value: number | null, wanted: number): void =>
  assert.ok(value !== null && Math.abs(value - wanted) < 1e-12, `${value}`)

it('the divergence is 0 for the same shares, 1 for nothing in common, the same both ways, and null for nothing', () => {
  near(divergence([1, 2, 3], [2, 4, 6]), 0)
  near(divergence([1, 0], [0, 9]), 1)
  near(divergence([3, 1], [1, 3]), divergence([1, 3], [3, 1]) as number)
  assert.equal(divergence([0, 0], [1, 1]), null)
})

it('entropy and mutual information are those of small tables', () => {
  near(entropy([1, 1, 1, 1]), 2)
  near(entropy([4]), 0)
  near(
    mutualInformation([
      [5, 0],
      [0, 5],
    ]),
    1,
  )
  near(
    mutualInformation([
      [5, 5],
      [5, 5],
    ]),
    0,
  )
})
