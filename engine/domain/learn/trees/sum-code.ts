/** Sums of a node's derivatives in WebAssembly: the loop of GradientSums.sumUp, both sums of a slot at once. */
import {
  add,
  addPairs,
  double,
  i32,
  int,
  isLess,
  loadDouble,
  loadInt,
  loopWhile,
  shiftLeft,
  storeInt,
  storePair,
  v128,
  wasmFunction,
  whenTrue,
} from '../../wasm/wasm-builder.js'
import { areEqualDoubles, isNotLess, loadPair, pairOf, secondOf } from '../../wasm/wasm-control.js'

/**
 * sumUp(rows, rowsEnd, starts, places, gradients, hessians, sums, firstFeature, features): adds the derivatives of each
 * of these rows to the sums at the places of its entries. It lists the places from `firstFeature` on that had no sum,
 * and returns where that list ends. Places count in doubles.
 */
export const sumUp = wasmFunction(
  'sumUp',
  {
    params: {
      rows: i32,
      rowsEnd: i32,
      starts: i32,
      places: i32,
      gradients: i32,
      hessians: i32,
      sums: i32,
      firstFeature: i32,
      features: i32,
    },
    locals: { row: i32, entry: i32, end: i32, place: i32, at: i32, pair: v128, before: v128 },
    result: i32,
  },
  (
    { rows, rowsEnd, starts, places, gradients, hessians, sums, firstFeature, features },
    { row, entry, end, place, at, pair, before },
  ) => {
    const derivativeOf = (of: typeof gradients) => loadDouble(add(of.get, shiftLeft(row.get, int(3))))
    const startAt = (offset: number) => {
      const start = loadInt(add(starts.get, shiftLeft(row.get, int(2))), offset)
      return add(places.get, shiftLeft(start, int(2)))
    }
    return [
      loopWhile(
        isLess(rows.get, rowsEnd.get),
        row.set(loadInt(rows.get)),
        pair.set(pairOf(derivativeOf(gradients), derivativeOf(hessians))),
        entry.set(startAt(0)),
        end.set(startAt(4)),
        loopWhile(
          isLess(entry.get, end.get),
          place.set(loadInt(entry.get)),
          at.set(add(sums.get, shiftLeft(place.get, int(3)))),
          before.set(loadPair(at.get)),
          storePair(at.get, addPairs(before.get, pair.get)),
          whenTrue(
            isNotLess(place.get, firstFeature.get),
            whenTrue(
              areEqualDoubles(secondOf(before.get), double(0)),
              storeInt(features.get, place.get),
              features.set(add(features.get, int(4))),
            ),
          ),
          entry.set(add(entry.get, int(4))),
        ),
        rows.set(add(rows.get, int(4))),
      ),
      features.get,
    ]
  },
)
