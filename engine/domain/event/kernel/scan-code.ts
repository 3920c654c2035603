/**
 * How the scanning kernel walks a value: objects of known shapes, arrays and scalars. It does what body-scanner.ts
 * does, with the same bytes; a result of 0 means that the text is left to that.
 */
import { limits } from '../../../limits.js'
import {
  add,
  and,
  i32,
  int,
  isLess,
  isZero,
  loadByte,
  loadInt,
  loopWhile,
  shiftLeft,
  storeInt,
  wasmFunction,
  whenTrue,
  type Code,
  type Local,
} from '../../wasm/wasm-builder.js'
import { giveBack, ifElse, isEqual, isNegative, isNotEqual, or, storeByte, subtract } from '../../wasm/wasm-control.js'
import { TAG_ARRAY, TAG_FALSE, TAG_NULL, TAG_OBJECT, TAG_TRUE } from '../body-format.js'
import { QUOTE } from '../json-text.js'
import {
  atVar,
  callArray,
  callChild,
  callKey,
  callObject,
  callSpace,
  callText,
  callValue,
  callWhole,
  isUtf8Var,
  callStep,
  leftVar,
  pathsVar,
  posVar,
  traceVar,
} from './scan-calls.js'
import { cells, fieldsMax, nodeAt, places, traceEntryBytes } from './scan-memory.js'
import { NOWHERE } from './scan-paths.js'

const [SPACE, COMMA, OPEN_BRACKET, CLOSE_BRACKET, OPEN_BRACE, CLOSE_BRACE] = [0x20, 0x2c, 0x5b, 0x5d, 0x7b, 0x7d]
const [MINUS, ZERO, SMALL_E] = [0x2d, 0x30, 0x65]

const failsIf = (condition: Code): Code => whenTrue(condition, giveBack(int(0)))
const step = (local: Local, by = 1): Code => local.set(add(local.get, int(by)))
/** The next byte that is not white space; most often the one at the position. */
const next = (byte: Local): readonly Code[] => [
  byte.set(loadByte(posVar.get)),
  whenTrue(isLess(byte.get, int(SPACE + 1)), byte.set(callSpace())),
]
const littleEndian = (text: string): number => Buffer.from(text).readInt32LE(0)
/** A count of two bytes behind a tag. */
const putCount = (start: Code, count: Code): readonly Code[] => [
  storeByte(start, [...count, ...int(8), 0x76], 1),
  storeByte(start, count, 2),
]

/** object(holder, depth, path): `path` is where names lead to from here, 0 for nowhere. */
export const object = wasmFunction(
  'object',
  {
    params: { holder: i32, depth: i32, path: i32 },
    locals: { start: i32, node: i32, from: i32, field: i32, byte: i32, lead: i32, inner: i32, valueAt: i32 },
    result: i32,
  },
  ({ holder, depth, path }, { start, node, from, field, byte, lead, inner, valueAt }) => [
    failsIf(isZero(isLess(depth.get, int(limits.eventDepthMax)))),
    start.set(atVar.get),
    storeByte(start.get, int(TAG_OBJECT)),
    step(atVar, 3),
    node.set(int(places.root)),
    // Where the likely field is noted: at the holder for the first, at the field before for the others.
    from.set(add(holder.get, int(nodeAt.inside))),
    step(posVar),
    ...next(byte),
    loopWhile(
      isNotEqual(byte.get, int(CLOSE_BRACE)),
      failsIf(isNotEqual(byte.get, int(QUOTE))),
      leftVar.set(subtract(leftVar.get, int(1))),
      failsIf(isNegative(leftVar.get)),
      field.set(loadInt(from.get)),
      whenTrue(
        isZero(callKey(field.get)),
        field.set(callChild(node.get)),
        failsIf(isZero(field.get)),
        storeInt(from.get, field.get),
      ),
      lead.set(int(NOWHERE)),
      inner.set(int(0)),
      whenTrue(
        path.get,
        ...leadOf(path, field, lead),
        inner.set(loadInt(add(pathsVar.get, shiftLeft(lead.get, int(2))))),
      ),
      valueAt.set(atVar.get),
      failsIf(isZero(callValue(field.get, add(depth.get, int(1)), inner.get))),
      whenTrue(isNotEqual(lead.get, int(NOWHERE)), ...note(lead, valueAt)),
      node.set(field.get),
      from.set(add(field.get, int(nodeAt.likely))),
      ...next(byte),
      ifElse(
        isEqual(byte.get, int(COMMA)),
        [step(posVar), ...next(byte), failsIf(isNotEqual(byte.get, int(QUOTE)))],
        [failsIf(isNotEqual(byte.get, int(CLOSE_BRACE)))],
      ),
    ),
    step(posVar),
    node.set(loadInt(node.get, nodeAt.shape)),
    failsIf(isNegative(node.get)),
    ...putCount(start.get, node.get),
    int(1),
  ],
)

/** Where the field's name leads to: from the table, which JavaScript fills. */
function leadOf(path: Local, field: Local, lead: Local): readonly Code[] {
  return [
    lead.set(loadInt(field.get, nodeAt.id)),
    lead.set(loadByte(add(path.get, lead.get))),
    whenTrue(isZero(lead.get), lead.set(callStep(path.get, loadInt(field.get, nodeAt.id)))),
  ]
}

/** Adds an entry to the trace. */
function note(lead: Local, valueAt: Local): readonly Code[] {
  return [
    storeInt(traceVar.get, lead.get),
    storeInt(traceVar.get, subtract(valueAt.get, int(places.output)), 4),
    storeInt(traceVar.get, subtract(atVar.get, int(places.output)), 8),
    step(traceVar, traceEntryBytes),
  ]
}

/** array(holder, depth) */
export const array = wasmFunction(
  'array',
  {
    params: { holder: i32, depth: i32 },
    locals: { start: i32, count: i32, byte: i32 },
    result: i32,
  },
  ({ holder, depth }, { start, count, byte }) => [
    failsIf(isZero(isLess(depth.get, int(limits.eventDepthMax)))),
    start.set(atVar.get),
    storeByte(start.get, int(TAG_ARRAY)),
    step(atVar, 3),
    step(posVar),
    ...next(byte),
    loopWhile(
      isNotEqual(byte.get, int(CLOSE_BRACKET)),
      leftVar.set(subtract(leftVar.get, int(1))),
      failsIf(isNegative(leftVar.get)),
      failsIf(isZero(callValue(holder.get, add(depth.get, int(1)), int(0)))),
      step(count),
      ...next(byte),
      ifElse(
        isEqual(byte.get, int(COMMA)),
        [step(posVar), ...next(byte), failsIf(isEqual(byte.get, int(CLOSE_BRACKET)))],
        [failsIf(isNotEqual(byte.get, int(CLOSE_BRACKET)))],
      ),
    ),
    step(posVar),
    ...putCount(start.get, count.get),
    int(1),
  ],
)

/** value(holder, depth, path): the value of the field `holder`, or an item of the array in it. */
export const value = wasmFunction(
  'value',
  { params: { holder: i32, depth: i32, path: i32 }, locals: { byte: i32, word: i32 }, result: i32 },
  ({ holder, depth, path }, { byte, word }) => {
    const tagged = (tag: number, bytes: number): readonly Code[] => [
      storeByte(atVar.get, int(tag)),
      step(atVar),
      step(posVar, bytes),
      giveBack(int(1)),
    ]
    const isWord = (text: string): Code => isEqual(word.get, int(littleEndian(text)))
    return [
      ...next(byte),
      whenTrue(isEqual(byte.get, int(QUOTE)), giveBack(callText())),
      whenTrue(isEqual(byte.get, int(OPEN_BRACE)), giveBack(callObject(holder.get, depth.get, path.get))),
      whenTrue(isEqual(byte.get, int(OPEN_BRACKET)), giveBack(callArray(holder.get, depth.get))),
      whenTrue(
        or(isLess(subtract(byte.get, int(ZERO)), int(10)), isEqual(byte.get, int(MINUS))),
        giveBack(callWhole()),
      ),
      word.set(loadInt(posVar.get)),
      whenTrue(isWord('true'), ...tagged(TAG_TRUE, 4)),
      whenTrue(isWord('null'), ...tagged(TAG_NULL, 4)),
      whenTrue(and(isWord('fals'), isEqual(loadByte(posVar.get, 4), int(SMALL_E))), ...tagged(TAG_FALSE, 5)),
      int(0),
    ]
  },
)

/** begin(pos, paths, path): scans the object that is there in the input. The length of the output, or 0. */
export const begin = wasmFunction(
  'begin',
  { params: { pos: i32, paths: i32, path: i32 }, locals: {}, result: i32 },
  ({ pos, paths, path }) => [
    posVar.set(pos.get),
    atVar.set(int(places.output)),
    isUtf8Var.set(int(0)),
    leftVar.set(int(fieldsMax)),
    traceVar.set(int(places.trace)),
    pathsVar.set(paths.get),
    failsIf(isZero(callObject(int(places.root), int(0), path.get))),
    storeInt(int(cells.pos), posVar.get),
    storeInt(int(cells.trace), traceVar.get),
    subtract(atVar.get, int(places.output)),
  ],
)
