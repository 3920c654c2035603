/**
 * Walks trees and adds up their leaves: findLeaves of trees/flat-trees.ts and the sums after it, in WebAssembly.
 *
 * Eight trees are walked side by side, without a branch at a node. A tree that has reached its leaf stays there until
 * the other seven have. Two steps are taken between two looks whether all have.
 */
import {
  add,
  addDoubles,
  and,
  double,
  f64,
  i32,
  i64,
  int,
  isGreater,
  isLess,
  isNotNegative,
  loadByte,
  loadFloat,
  loadInt,
  loadLong,
  loopWhile,
  lowerHalf,
  repeatWhile,
  select,
  shiftLeft,
  shiftRight,
  shiftRightUnsigned,
  storeInt,
  upperHalf,
  wasmFunction,
  xor,
  type Code,
  type Local,
} from '../../wasm/wasm-builder.js'

/** Trees that are walked side by side: `roots` has a multiple of so many. */
export const treesTogether = 8
const stepsPerLook = 2

const lanes = Array.from({ length: treesTogether }, (_, i) => i)

/**
 * walk(nodes, roots, rootsEnd, codes, leaves): all but the last three words of `roots` are addresses. The byte before
 * the codes can be read: a leaf, as a split, would ask for the code of column -1.
 */
export const walk = wasmFunction(
  'walk',
  {
    params: { nodes: i32, roots: i32, rootsEnd: i32, codes: i32, leaves: i32 },
    locals: { a: i32, b: i32, c: i32, d: i32, e: i32, f: i32, g: i32, h: i32, node: i64, split: i32 },
  },
  ({ nodes, roots, rootsEnd, codes, leaves }, { a, b, c, d, e, f, g, h, node, split }) => {
    const at = [a, b, c, d, e, f, g, h] as const
    const nodeAt = (index: Code): Code => add(nodes.get, shiftLeft(index, int(3)))
    // A split has its left child behind it. A leaf, which is negative, has itself.
    const behind = xor(and(shiftRightUnsigned(split.get, int(28)), int(8)), int(8))
    const code = loadByte(add(codes.get, shiftRight(split.get, int(8))))
    const step = (place: Local): Code => [
      ...node.set(loadLong(place.get)),
      ...split.set(lowerHalf(node.get)),
      ...place.set(
        select(isGreater(code, and(split.get, int(0xff))), nodeAt(upperHalf(node.get)), add(place.get, behind)),
      ),
    ]
    const laneOf = (i: number): Local => at[i] as Local
    const inAll = lanes.map((i) => loadInt(laneOf(i).get)).reduce((all, one) => and(all, one))
    return [
      loopWhile(
        isLess(roots.get, rootsEnd.get),
        ...lanes.map((i) => laneOf(i).set(nodeAt(loadInt(roots.get, 4 * i)))),
        repeatWhile(
          isNotNegative(inAll),
          ...Array.from({ length: stepsPerLook }, () => lanes.flatMap((i) => step(laneOf(i)))),
        ),
        ...lanes.map((i) => storeInt(leaves.get, loadInt(laneOf(i).get, 4), 4 * i)),
        roots.set(add(roots.get, int(4 * treesTogether))),
        leaves.set(add(leaves.get, int(4 * treesTogether))),
      ),
    ]
  },
)

/** sum(leaves, end, step, values): the sum of the numbers at these leaves, in their order. */
export const sum = wasmFunction(
  'sum',
  { params: { leaves: i32, end: i32, step: i32, values: i32 }, locals: { total: f64 }, result: f64 },
  ({ leaves, end, step, values }, { total }) => [
    total.set(double(0)),
    loopWhile(
      isLess(leaves.get, end.get),
      total.set(addDoubles(total.get, loadFloat(add(values.get, shiftLeft(loadInt(leaves.get), int(2)))))),
      leaves.set(add(leaves.get, step.get)),
    ),
    total.get,
  ],
)
