/**
 * The distances of labelled events to an event: `distance` of outlier/outlier-references.ts in WebAssembly.
 *
 * Numbers are compared for four events at once. Each sum adds the same terms in the same order as in JavaScript, so the
 * bits are the same. All numbers are compared: that is faster than to ask which may be left out.
 */
import {
  absolutePairs,
  add,
  addDoubles,
  addPairs,
  double,
  f64,
  i32,
  int,
  isGreater,
  isLess,
  isLessDouble,
  isZero,
  largerPairs,
  loadDouble,
  loadFloat,
  loadFloatPair,
  loadInt,
  loadTwice,
  loopWhile,
  multiplyDoubles,
  multiplyPairs,
  storeDouble,
  storeFloat,
  storePair,
  subtractPairs,
  twice,
  v128,
  wasmFunction,
  whenTrue,
  zeros,
  type Code,
} from '../../wasm/wasm-builder.js'

/** Labelled events that are compared at once: their number is a multiple of it. */
export const comparedTogether = 4
/** Bytes of a known token of the event: where its entries begin and end, and its weight as a double. */
export const knownTokenBytes = 16
/** Bytes of an entry: four times the number of the labelled event, and the weight of the token in it. */
export const entryBytes = 8

/** likeness(tokens, tokensEnd, into): adds the products of weights to the likeness of each labelled event. */
export const likeness = wasmFunction(
  'likeness',
  {
    params: { tokens: i32, tokensEnd: i32, into: i32 },
    locals: { entry: i32, entriesEnd: i32, place: i32, weight: f64 },
  },
  ({ tokens, tokensEnd, into }, { entry, entriesEnd, place, weight }) => [
    loopWhile(
      isLess(tokens.get, tokensEnd.get),
      entry.set(loadInt(tokens.get)),
      entriesEnd.set(loadInt(tokens.get, 4)),
      weight.set(loadDouble(tokens.get, 8)),
      loopWhile(
        isLess(entry.get, entriesEnd.get),
        place.set(add(into.get, loadInt(entry.get))),
        storeFloat(place.get, addDoubles(loadFloat(place.get), multiplyDoubles(weight.get, loadFloat(entry.get, 4)))),
        entry.set(add(entry.get, int(entryBytes))),
      ),
      tokens.set(add(tokens.get, int(knownTokenBytes))),
    ),
  ],
)

/**
 * Fills `plain` with the distances by which the nearest is found, `far` with the scaled distances of the outlier check.
 * `numbers` has the first number of four labelled events, then the second of these, and so on. `mine` are doubles.
 */
export const compare = wasmFunction(
  'compare',
  {
    params: {
      likeness: i32,
      likenessEnd: i32,
      numbers: i32,
      scales: i32,
      mine: i32,
      mineEnd: i32,
      share: f64,
      meanWeight: f64,
      mostWeight: f64,
      plain: i32,
      far: i32,
    },
    locals: { my: i32, apart: v128, sumA: v128, sumB: v128, mostA: v128, mostB: v128, start: v128 },
  },
  (
    { likeness, likenessEnd, numbers, scales, mine, mineEnd, share, meanWeight, mostWeight, plain, far },
    { my, apart, sumA, sumB, mostA, mostB, start },
  ) => {
    const apartAt = (offset: number): Code =>
      apart.set(absolutePairs(subtractPairs(loadTwice(my.get), loadFloatPair(numbers.get, offset))))
    const scaled = (sum: Code, most: Code): Code =>
      addPairs(
        addPairs(start.get, multiplyPairs(multiplyPairs(twice(meanWeight.get), sum), twice(share.get))),
        multiplyPairs(twice(mostWeight.get), most),
      )
    const result = (offset: number, sum: Code, most: Code): Code => [
      ...start.set(subtractPairs(twice(double(1)), loadFloatPair(likeness.get, offset))),
      ...storePair(plain.get, addPairs(start.get, multiplyPairs(sum, twice(share.get))), 2 * offset),
      ...storePair(far.get, multiplyPairs(scaled(sum, most), loadFloatPair(scales.get, offset)), 2 * offset),
    ]
    return [
      loopWhile(
        isLess(likeness.get, likenessEnd.get),
        ...[sumA, sumB, mostA, mostB].map((pair) => pair.set(zeros)),
        my.set(mine.get),
        loopWhile(
          isLess(my.get, mineEnd.get),
          apartAt(0),
          sumA.set(addPairs(sumA.get, apart.get)),
          mostA.set(largerPairs(mostA.get, apart.get)),
          apartAt(8),
          sumB.set(addPairs(sumB.get, apart.get)),
          mostB.set(largerPairs(mostB.get, apart.get)),
          numbers.set(add(numbers.get, int(16))),
          my.set(add(my.get, int(8))),
        ),
        result(0, sumA.get, mostA.get),
        result(8, sumB.get, mostB.get),
        likeness.set(add(likeness.get, int(16))),
        scales.set(add(scales.get, int(16))),
        plain.set(add(plain.get, int(32))),
        far.set(add(far.get, int(32))),
      ),
    ]
  },
)

/**
 * Fills `nearest`, an ascending list of doubles up to `last`, with the least of `far`. Returns the address of the least
 * of `plain`, the first of equal ones; 0 where all are infinite.
 */
export const pick = wasmFunction(
  'pick',
  {
    params: { plain: i32, far: i32, farEnd: i32, nearest: i32, last: i32 },
    locals: { closest: f64, place: i32, limit: f64, distance: f64, slot: i32, isOpen: i32 },
    result: i32,
  },
  ({ plain, far, farEnd, nearest, last }, { closest, place, limit, distance, slot, isOpen }) => {
    const infinite = double(Infinity)
    const slotBefore = add(slot.get, int(-8))
    const isLater: Code = [
      ...isOpen.set(int(0)),
      ...whenTrue(isGreater(slot.get, nearest.get), isOpen.set(isLessDouble(distance.get, loadDouble(slotBefore)))),
    ]
    return [
      slot.set(nearest.get),
      loopWhile(
        isZero(isGreater(slot.get, last.get)),
        storeDouble(slot.get, infinite),
        slot.set(add(slot.get, int(8))),
      ),
      closest.set(infinite),
      limit.set(infinite),
      loopWhile(
        isLess(far.get, farEnd.get),
        whenTrue(
          isLessDouble(loadDouble(plain.get), closest.get),
          closest.set(loadDouble(plain.get)),
          place.set(plain.get),
        ),
        distance.set(loadDouble(far.get)),
        whenTrue(
          isLessDouble(distance.get, limit.get),
          slot.set(last.get),
          isLater,
          loopWhile(isOpen.get, storeDouble(slot.get, loadDouble(slotBefore)), slot.set(slotBefore), isLater),
          storeDouble(slot.get, distance.get),
          limit.set(loadDouble(last.get)),
        ),
        plain.set(add(plain.get, int(8))),
        far.set(add(far.get, int(8))),
      ),
      place.get,
    ]
  },
)
