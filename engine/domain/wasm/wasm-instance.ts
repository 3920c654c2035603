/**
 * Makes memory and functions of WebAssembly. The compiler knows no types of WebAssembly without those of browsers, so
 * what is needed of the global object is written down here.
 */
import { wasmModule, type WasmFunction } from './wasm-builder.js'

/** The unit in which memory is made and grows. */
export const wasmPageBytes = 65_536

export interface WasmMemory {
  /** Another one after each growth. */
  readonly buffer: ArrayBuffer
  /** @throws RangeError where the system has no more memory. */
  grow(pages: number): number
}

interface Wasm {
  Memory: new (pages: { initial: number; maximum: number }) => WasmMemory
  Module: new (bytes: Uint8Array<ArrayBuffer>) => object
  Instance: new (module: object, imports: object) => { readonly exports: unknown }
}

function wasm(): Wasm {
  return (globalThis as unknown as { WebAssembly: Wasm }).WebAssembly
}

/** Memory of pages. @throws Error where this machine or this process runs no WebAssembly. */
export function wasmMemory(pages: { readonly initial: number; readonly maximum: number }): WasmMemory {
  const { Memory } = wasm()
  return new Memory(pages)
}

/** The functions, by their names, over that memory. @throws Error like wasmMemory. */
export function wasmExports(functions: readonly WasmFunction[], memory: WasmMemory): unknown {
  return wasmInstance(compiledWasm(wasmModule(functions)), memory)
}

/** A module that was compiled, for any number of instances in this thread. @throws Error like wasmMemory. */
export function compiledWasm(bytes: Uint8Array<ArrayBuffer>): object {
  const { Module } = wasm()
  return new Module(bytes)
}

/** The functions of a compiled module over that memory, with what it imports. @throws Error like wasmMemory. */
export function wasmInstance(
  module: object,
  memory: WasmMemory,
  imports: Readonly<Record<string, (...values: number[]) => number>> = {},
): unknown {
  const { Instance } = wasm()
  return new Instance(module, { env: { memory, ...imports } }).exports
}
