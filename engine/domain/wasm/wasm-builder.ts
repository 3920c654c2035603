/**
 * Builds the bytes of a WebAssembly module from nested expressions: `add(a, b)` is the code of `a`, that of `b`, and
 * the instruction i32.add. It knows the few instructions that are needed.
 *
 * The numbers are those of the binary format (WebAssembly Core Specification 2.0, chapter 5).
 */

/** The bytes of an expression or of a statement. */
export type Code = readonly number[]

export const i32 = 0x7f
export const i64 = 0x7e
export const f64 = 0x7c
export const v128 = 0x7b
export type ValueType = typeof i32 | typeof i64 | typeof f64 | typeof v128

/** A parameter or another local variable of a function. */
export interface Local {
  readonly get: Code
  set(value: Code): Code
}

/** The type of a block without a result, and what begins instructions for 128 bits. */
export const noType = 0x40
export const simd = 0xfd

/** A number as the format writes it, without a sign. */
export function unsigned(value: number): number[] {
  return value < 0x80 ? [value] : [(value & 0x7f) | 0x80, ...unsigned(value >>> 7)]
}

function signed(value: number): number[] {
  return value >= -64 && value < 64 ? [value & 0x7f] : [(value & 0x7f) | 0x80, ...signed(value >> 7)]
}

export type Operation = (...operands: readonly Code[]) => Code

/** An instruction behind its operands. */
export function operation(...opcode: readonly number[]): Operation {
  return (...operands) => [...operands.flat(), ...opcode]
}

/** A load from an address and a constant offset; `align` is the exponent of 2 that the address is a multiple of. */
function load(align: number, ...opcode: readonly number[]): (address: Code, offset?: number) => Code {
  return (address, offset = 0) => [...address, ...opcode, align, ...unsigned(offset)]
}

function store(align: number, ...opcode: readonly number[]): (address: Code, value: Code, offset?: number) => Code {
  return (address, value, offset = 0) => [...address, ...value, ...opcode, align, ...unsigned(offset)]
}

/** A constant of 32 bits. */
export const int = (value: number): Code => [0x41, ...signed(value)]
export const add = operation(0x6a)
export const and = operation(0x71)
export const xor = operation(0x73)
export const shiftLeft = operation(0x74)
export const shiftRight = operation(0x75)
export const shiftRightUnsigned = operation(0x76)
export const isLess = operation(0x49)
export const isGreater = operation(0x4b)
/** For signed numbers. */
export const isNotNegative = (value: Code): Code => [...value, ...int(0), 0x4e]
export const isZero = operation(0x45)
export const loadInt = load(2, 0x28)
export const loadByte = load(0, 0x2d)
export const storeInt = store(2, 0x36)

/** 64 bits: their lower and upper half. */
export const loadLong = load(3, 0x29)
export const lowerHalf = operation(0xa7)
export const upperHalf = (value: Code): Code => [...value, 0x42, 32, 0x88, 0xa7]

/** A constant in double precision. */
export function double(value: number): Code {
  return [0x44, ...new Uint8Array(Float64Array.of(value).buffer)]
}
export const addDoubles = operation(0xa0)
export const multiplyDoubles = operation(0xa2)
export const isLessDouble = operation(0x63)
export const loadDouble = load(3, 0x2b)
export const storeDouble = store(3, 0x39)
/** A number in single precision as a double, and back, rounded. */
export const loadFloat = (address: Code, offset = 0): Code => [...load(2, 0x2a)(address, offset), 0xbb]
export const storeFloat = (address: Code, value: Code, offset = 0): Code =>
  store(2, 0x38)(address, [...value, 0xb6], offset)

/** Two doubles side by side. */
export const zeros: Code = [simd, 0x0c, ...new Array<number>(16).fill(0)]
export const twice = operation(simd, 0x14)
export const addPairs = operation(simd, 0xf0, 0x01)
export const subtractPairs = operation(simd, 0xf1, 0x01)
export const multiplyPairs = operation(simd, 0xf2, 0x01)
export const absolutePairs = operation(simd, 0xec, 0x01)
/** The larger of each two, the first of equal ones. Faster than f64x2.max, which minds NaN and -0. */
export const largerPairs = operation(simd, 0xf7, 0x01)
export const loadTwice = load(3, simd, 0x0a)
export const storePair = store(3, simd, 0x0b)
/** Two numbers in single precision as doubles. */
export const loadFloatPair = (address: Code, offset = 0): Code => [...load(2, simd, 0x5d)(address, offset), simd, 0x5f]

/** Four numbers of 32 bits side by side, and bits of them. */
export const loadFour = load(4, simd, 0x00)
export const storeFour = store(4, simd, 0x0b)
/** One number, four times. */
export const loadFourTimes = load(2, simd, 0x09)
export const addFours = operation(simd, 0xae, 0x01)
export const shiftFoursLeft = operation(simd, 0xab, 0x01)
export const shiftFoursRight = operation(simd, 0xad, 0x01)
export const andBits = operation(simd, 0x4e)
export const orBits = operation(simd, 0x50)
export const xorBits = operation(simd, 0x51)

/** `whenTrue` or `whenFalse`, without a branch: both are computed. */
export const select = (condition: Code, whenTrue: Code, whenFalse: Code): Code => [
  ...whenTrue,
  ...whenFalse,
  ...condition,
  0x1b,
]
export const whenTrue = (condition: Code, ...body: readonly Code[]): Code => [
  ...condition,
  0x04,
  noType,
  ...body.flat(),
  0x0b,
]
/** Runs the body, and again while the condition holds after it. */
export const repeatWhile = (condition: Code, ...body: readonly Code[]): Code => [
  0x03,
  noType,
  ...body.flat(),
  ...condition,
  0x0d,
  0,
  0x0b,
]
/** Runs the body while the condition holds before it. */
export const loopWhile = (condition: Code, ...body: readonly Code[]): Code =>
  whenTrue(condition, repeatWhile(condition, ...body))

export interface WasmFunction {
  readonly name: string
  readonly params: readonly ValueType[]
  readonly result: ValueType | null
  readonly locals: readonly ValueType[]
  /** Made where a module is made: most threads that load a function never run it. */
  readonly body: () => Code
}

export type Named<T extends Readonly<Record<string, ValueType>>> = { readonly [K in keyof T]: Local }

function localsFrom<T extends Readonly<Record<string, ValueType>>>(types: T, first: number): Named<T> {
  const named = Object.keys(types).map((name, i) => {
    const index = unsigned(first + i)
    const local: Local = { get: [0x20, ...index], set: (value) => [...value, 0x21, ...index] }
    return [name, local] as const
  })
  return Object.fromEntries(named) as Named<T>
}

/** A function with these parameters and local variables. Its last expression is its result, if it has one. */
export function wasmFunction<
  P extends Readonly<Record<string, ValueType>>,
  L extends Readonly<Record<string, ValueType>>,
>(
  name: string,
  { params, locals, result = null }: { params: P; locals: L; result?: ValueType | null },
  body: (params: Named<P>, locals: Named<L>) => readonly Code[],
): WasmFunction {
  const types = Object.values(params)
  const code = (): Code => body(localsFrom(params, 0), localsFrom(locals, types.length)).flat()
  return { name, params: types, result, locals: Object.values(locals), body: code }
}

function list(items: readonly Code[]): Code {
  return [...unsigned(items.length), ...items.flat()]
}

function sized(code: Code): Code {
  return [...unsigned(code.length), ...code]
}

function text(value: string): Code {
  return sized([...value].map((character) => character.charCodeAt(0)))
}

/** A function that a module imports from `env`; all are numbers of 32 bits. */
export interface WasmImport {
  readonly name: string
  readonly params: number
}

/**
 * The bytes of a module that exports these functions and imports `env.memory`, and functions before them. It has so
 * many variables of 32 bits.
 */
export function wasmModule(
  functions: readonly WasmFunction[],
  imports: readonly WasmImport[] = [],
  variables = 0,
): Uint8Array<ArrayBuffer> {
  const section = (id: number, items: readonly Code[]): Code => [id, ...sized(list(items))]
  const typeOf = (params: readonly ValueType[], result: ValueType | null): Code => {
    return [0x60, ...list(params.map((type) => [type])), ...list(result === null ? [] : [[result]])]
  }
  const types = [
    ...imports.map(({ params }) => typeOf(new Array<ValueType>(params).fill(i32), i32)),
    ...functions.map(({ params, result }) => typeOf(params, result)),
  ]
  const imported = imports.map(({ name }, i) => [...text('env'), ...text(name), 0, ...unsigned(i)])
  const memory = [...text('env'), ...text('memory'), 2, 0, 1]
  const bodies = functions.map(({ locals, body }) => sized([...list(locals.map((type) => [1, type])), ...body(), 0x0b]))
  const numberOf = (i: number): Code => unsigned(imports.length + i)
  return Uint8Array.from([
    ...[0, 0x61, 0x73, 0x6d, 1, 0, 0, 0],
    ...section(1, types),
    ...section(2, [...imported, memory]),
    ...section(
      3,
      functions.map((_, i) => numberOf(i)),
    ),
    ...section(
      6,
      Array.from({ length: variables }, () => [i32, 1, ...int(0), 0x0b]),
    ),
    ...section(
      7,
      functions.map(({ name }, i) => [...text(name), 0, ...numberOf(i)]),
    ),
    ...section(10, bodies),
  ])
}
