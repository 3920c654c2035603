/**
 * One block of SHA-256 for four texts side by side, in WebAssembly: `compress` of keyed-hash.ts, four times
 * (FIPS 180-4, 6.2.2).
 *
 * Words of the four texts lie together: word 0 of each, then word 1 of each.
 */
import {
  add,
  addFours,
  andBits,
  i32,
  int,
  isLess,
  loadFour,
  loadFourTimes,
  orBits,
  repeatWhile,
  shiftFoursLeft,
  shiftFoursRight,
  storeFour,
  v128,
  wasmFunction,
  xorBits,
  type Code,
  type Local,
} from '../wasm/wasm-builder.js'

/** Bytes of one word of four texts. */
const wordBytes = 16
export const roundCount = 64
const roundsTogether = 8

const sum = (...terms: readonly Code[]): Code => terms.reduce((all, term) => addFours(all, term))

function rotate(x: Code, bits: number): Code {
  return orBits(shiftFoursRight(x, int(bits)), shiftFoursLeft(x, int(32 - bits)))
}

function xorOf(a: Code, b: Code, c: Code): Code {
  return xorBits(xorBits(a, b), c)
}

/**
 * compress(start, words, constants, into): `start` are the 8 numbers that all four hashes start from, `words` has the
 * 16 words of a block and room for 48 more, `constants` are those of the rounds. The 8 numbers of each hash go to
 * `into`, word by word.
 */
export const compressFour = wasmFunction(
  'compress',
  {
    params: { start: i32, words: i32, constants: i32, into: i32 },
    locals: { at: i32, x: v128, a: v128, b: v128, c: v128, d: v128, e: v128, f: v128, g: v128, h: v128 },
  },
  ({ start, words, constants, into }, { at, x, a, b, c, d, e, f, g, h }) => {
    const state = [a, b, c, d, e, f, g, h]
    const wordAt = (place: number): Code => loadFour(at.get, place * wordBytes)
    const end = (count: number): Code => add(words.get, int(count * wordBytes))
    const schedule = [
      at.set(words.get),
      repeatWhile(
        isLess(at.get, end(roundCount - 16)),
        x.set(sum(wordAt(0), wordAt(9))),
        ...[
          { from: 1, turns: [7, 18], shift: 3 },
          { from: 14, turns: [17, 19], shift: 10 },
        ].flatMap(({ from, turns: [one = 0, two = 0], shift }) => [
          a.set(wordAt(from)),
          x.set(sum(x.get, xorOf(rotate(a.get, one), rotate(a.get, two), shiftFoursRight(a.get, int(shift))))),
        ]),
        storeFour(at.get, x.get, 16 * wordBytes),
        at.set(add(at.get, int(wordBytes))),
      ),
    ]
    // Eight rounds move each number through all eight places, so none has to be copied.
    const round = (i: number): readonly Code[] => {
      const place = (n: number): Local => state[(n - i + roundsTogether) % roundsTogether] as Local
      const [pd, ph] = [place(3), place(7)]
      const [pa, pb, pc, pe, pf, pg] = [0, 1, 2, 4, 5, 6].map((n) => place(n).get) as [
        Code,
        Code,
        Code,
        Code,
        Code,
        Code,
      ]
      return [
        x.set(
          sum(
            sum(loadFourTimes(constants.get, i * 4), wordAt(i), ph.get),
            xorOf(rotate(pe, 6), rotate(pe, 11), rotate(pe, 25)),
            xorBits(andBits(xorBits(pf, pg), pe), pg),
          ),
        ),
        pd.set(sum(pd.get, x.get)),
        ph.set(
          sum(
            x.get,
            xorOf(rotate(pa, 2), rotate(pa, 13), rotate(pa, 22)),
            orBits(andBits(pa, pb), andBits(orBits(pa, pb), pc)),
          ),
        ),
      ]
    }
    return [
      ...schedule,
      ...state.map((each, i) => each.set(loadFourTimes(start.get, i * 4))),
      at.set(words.get),
      repeatWhile(
        isLess(at.get, end(roundCount)),
        ...Array.from({ length: roundsTogether }, (_, i) => round(i)).flat(),
        constants.set(add(constants.get, int(roundsTogether * 4))),
        at.set(add(at.get, int(roundsTogether * wordBytes))),
      ),
      ...state.map((each, i) =>
        storeFour(into.get, addFours(each.get, loadFourTimes(start.get, i * 4)), i * wordBytes),
      ),
    ]
  },
)
