import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  add,
  double,
  f64,
  i32,
  int,
  isLess,
  loopWhile,
  wasmFunction,
  wasmModule,
  type WasmFunction,
} from '../../../../engine/domain/wasm/wasm-builder.js'

interface Wasm {
  Memory: new (options: { initial: number }) => object
  Module: new (bytes: Uint8Array<ArrayBuffer>) => object
  Instance: new (
    module: object,
    imports: object,
  ) => { readonly exports: Record<string, (...numbers: number[]) => number> }
}

function exportsOf(...functions: readonly WasmFunction[]): Record<string, (...numbers: number[]) => number> {
  const { Memory, Module, Instance } = (globalThis as unknown as { WebAssembly: Wasm }).WebAssembly
  return new Instance(new Module(wasmModule(functions)), { env: { memory: new Memory({ initial: 1 }) } }).exports
}

test('constants of any size come back', () => {
  for (const value of [0, 1, -1, 63, 64, -64, -65, 127, 128, 8_191, 8_192, -8_193, 2 ** 31 - 1, -(2 ** 31)]) {
    const constant = wasmFunction('constant', { params: {}, locals: {}, result: i32 }, () => [int(value)])
    assert.equal(exportsOf(constant).constant?.(), value)
  }
  for (const value of [0, -0, 0.1, -1e300, Infinity]) {
    const constant = wasmFunction('constant', { params: {}, locals: {}, result: f64 }, () => [double(value)])
    assert.ok(Object.is(exportsOf(constant).constant?.(), value))
  }
})

test('a function has its parameters first, then its local variables, and a loop may run zero times', () => {
  const product = wasmFunction(
    'product',
    { params: { a: i32, b: i32 }, locals: { total: i32, done: i32 }, result: i32 },
    ({ a, b }, { total, done }) => [
      loopWhile(isLess(done.get, b.get), total.set(add(total.get, a.get)), done.set(add(done.get, int(1)))),
      total.get,
    ],
  )
  const { product: multiply } = exportsOf(product)
  assert.equal(multiply?.(7, 6), 42)
  assert.equal(multiply?.(7, 0), 0)
})

test('several functions are found by their names', () => {
  const named = ['one', 'two'].map((name, i) =>
    wasmFunction(name, { params: {}, locals: {}, result: i32 }, () => [int(i + 1)]),
  )
  const { one, two } = exportsOf(...named)
  assert.deepEqual([one?.(), two?.()], [1, 2])
})
