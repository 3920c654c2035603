/**
 * Minimises a smooth convex function: L-BFGS with a diagonal preconditioner.
 *
 * Liu and Nocedal, "On the limited memory BFGS method for large scale optimization", 1989. A step is halved until it
 * brings the Armijo decrease. Deterministic.
 */

/** Fills the gradient at `x`; returns the function's value there. */
export type MinimisedFunction = (x: Float64Array, gradient: Float64Array) => number

export interface MinimiseOptions {
  readonly iterationsMax: number
  /** Stops when an iteration gains less than this share of the value. */
  readonly tolerance: number
  /** An estimate of the second derivative in each direction, above 0. */
  readonly curvature: Float64Array
  /** Called after each iteration; may throw to stop. */
  readonly onIteration: (done: number) => void
}

const pairsKept = 6
const armijo = 1e-4
const halvingsMax = 30

function dot(a: Float64Array, b: Float64Array): number {
  let sum = 0
  for (let i = 0; i < a.length; i++) sum += (a[i] as number) * (b[i] as number)
  return sum
}

interface Correction {
  readonly step: Float64Array
  readonly change: Float64Array
  rho: number
}

interface Point {
  readonly x: Float64Array
  readonly gradient: Float64Array
}

/** Fills the correction for the step between two points; false where the curvature along it is not positive. */
function fillCorrection(into: Correction, from: Point, to: Point): boolean {
  let curve = 0
  for (let i = 0; i < from.x.length; i++) {
    const s = (to.x[i] as number) - (from.x[i] as number)
    const y = (to.gradient[i] as number) - (from.gradient[i] as number)
    into.step[i] = s
    into.change[i] = y
    curve += s * y
  }
  into.rho = 1 / curve
  return curve > 1e-12
}

/** direction = -H gradient; H is the inverse Hessian as the corrections estimate it. */
function descend(
  gradient: Float64Array,
  curvature: Float64Array,
  corrections: readonly Correction[],
  direction: Float64Array,
): void {
  const n = gradient.length
  for (let i = 0; i < n; i++) direction[i] = -(gradient[i] as number)
  const alphas: number[] = []
  for (let j = corrections.length - 1; j >= 0; j--) {
    const { step, change, rho } = corrections[j] as Correction
    const alpha = rho * dot(step, direction)
    alphas[j] = alpha
    for (let i = 0; i < n; i++) direction[i] = (direction[i] as number) - alpha * (change[i] as number)
  }
  let scale = 1
  const last = corrections.at(-1)
  if (last !== undefined) {
    let scaled = 0
    for (let i = 0; i < n; i++) scaled += (last.change[i] as number) ** 2 / (curvature[i] as number)
    scale = 1 / (last.rho * scaled)
  }
  for (let i = 0; i < n; i++) direction[i] = ((direction[i] as number) * scale) / (curvature[i] as number)
  for (let j = 0; j < corrections.length; j++) {
    const { step, change, rho } = corrections[j] as Correction
    const gain = (alphas[j] as number) - rho * dot(change, direction)
    for (let i = 0; i < n; i++) direction[i] = (direction[i] as number) + gain * (step[i] as number)
  }
}

/** Moves `x` towards the minimum, within the options; returns the value there. */
export function minimise(objective: MinimisedFunction, x: Float64Array, options: MinimiseOptions): number {
  const n = x.length
  let gradient = new Float64Array(n)
  let nextGradient = new Float64Array(n)
  const direction = new Float64Array(n)
  const next = new Float64Array(n)
  const corrections: Correction[] = []
  let value = objective(x, gradient)
  for (let iteration = 1; iteration <= options.iterationsMax; iteration++) {
    descend(gradient, options.curvature, corrections, direction)
    const slope = dot(gradient, direction)
    if (!(slope < 0)) break
    let rate = 1
    let nextValue = Infinity
    let halvings = 0
    for (; halvings < halvingsMax; halvings++, rate /= 2) {
      for (let i = 0; i < n; i++) next[i] = (x[i] as number) + rate * (direction[i] as number)
      nextValue = objective(next, nextGradient)
      if (nextValue <= value + armijo * rate * slope) break
    }
    if (halvings === halvingsMax) break
    const spare = corrections.length === pairsKept ? (corrections.shift() as Correction) : undefined
    const kept = spare ?? { step: new Float64Array(n), change: new Float64Array(n), rho: 0 }
    if (fillCorrection(kept, { x, gradient }, { x: next, gradient: nextGradient })) corrections.push(kept)
    x.set(next)
    const gained = value - nextValue
    value = nextValue
    const spent = gradient
    gradient = nextGradient
    nextGradient = spent
    options.onIteration(iteration)
    if (gained <= options.tolerance * Math.max(1, Math.abs(value))) break
  }
  return value
}
