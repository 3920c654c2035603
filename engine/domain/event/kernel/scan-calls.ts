/** The functions that the scanning kernel calls, by their numbers, and the variables of its module. */
import type { Code } from '../../wasm/wasm-builder.js'
import { callOf, variable } from '../../wasm/wasm-control.js'

/** What the kernel asks of JavaScript. */
export interface ScanHelp {
  /** The number of the word with these bytes, or -1 (words.ts). `hash` is the kernel's own. */
  see(start: number, length: number, hash: number): number
  /** 1 if the whole text is UTF-8. */
  utf8(): number
  /** Puts the text from `start`, whose first escape is at `first`; returns where the input goes on, or -1. */
  escaped(start: number, first: number): number
  /** Puts the number from `start` to `end`, which is no short whole one, at `at`; returns where it ends, or -1. */
  number(start: number, end: number, at: number): number
  /** Where a node's name leads to from a path; as the entries of its table (scan-paths.ts). */
  step(path: number, id: number): number
}

export const imports = [
  { name: 'see', params: 3 },
  { name: 'utf8', params: 0 },
  { name: 'escaped', params: 2 },
  { name: 'number', params: 3 },
  { name: 'step', params: 2 },
] as const

export const callSee = callOf(0)
export const callUtf8 = callOf(1)
export const callEscaped = callOf(2)
export const callNumber = callOf(3)
export const callStep = callOf(4)

// The order of the functions in the module (scan-kernel.ts).
export const callVarint = callOf(5)
export const callPutText = (...operands: readonly Code[]): Code[] => [callOf(6)(...operands)]
export const callText = callOf(7)
export const callWhole = callOf(8)
export const callSpace = callOf(9)
export const callKey = callOf(10)
export const callChild = callOf(11)
export const callObject = callOf(12)
export const callArray = callOf(13)
export const callValue = callOf(14)

/** Where the input is read, and where the output is written. */
export const posVar = variable(0)
export const atVar = variable(1)
/** 1 once the text is known to be UTF-8. */
export const isUtf8Var = variable(2)
/** Fields and items that may still come. */
export const leftVar = variable(3)
/** The next entry of the trace; where paths of the job begin. */
export const traceVar = variable(4)
export const pathsVar = variable(5)
export const variableCount = 6
