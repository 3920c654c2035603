/** The source tree as text, for tests of the tree itself: its files, their imports, the names that they declare. */
import assert from 'node:assert/strict'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'

export const root = findRoot(dirname(fileURLToPath(import.meta.url)))

function findRoot(from: string): string {
  if (existsSync(join(from, 'package.json'))) return from
  const parent = dirname(from)
  assert.notEqual(parent, from, 'no package.json above the tests')
  return findRoot(parent)
}

/** Folders that tools make, or that git ignores. */
const skipped = new Set(['node_modules', '.git', '.build', '.cache', 'data', 'results'])

/** Every file under a folder, as paths from the root. The root is ''. */
export function listFiles(folder: string): string[] {
  return readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = folder === '' ? entry.name : `${folder}/${entry.name}`
    if (entry.isDirectory()) return skipped.has(entry.name) ? [] : listFiles(path)
    return [path]
  })
}

const texts = new Map<string, string>()

export function textOf(file: string): string {
  let text = texts.get(file)
  if (text === undefined) {
    text = readFileSync(join(root, file), 'utf8')
    texts.set(file, text)
  }
  return text
}

/** The text without comments. */
export function codeOf(file: string): string {
  return textOf(file)
    .replace(/\/\*[\s\S]*?\*\//g, '')
    .replace(/^\s*\/\/.*$/gm, '')
}

export interface Import {
  readonly from: string
  /** A path in the tree, or a package. */
  readonly to: string
}

/** The imports and re-exports of a file, types included. */
export function importsOf(file: string): Import[] {
  return [...codeOf(file).matchAll(/(?:\bfrom\s|\bimport\s*\(?)\s*'([^']+)'/g)].map(([, name]) => {
    const to = name as string
    if (to.startsWith('.')) {
      const source = relative(root, resolve(root, dirname(file), to)).replace(/\.js$/, '.ts')
      return { from: file, to: source.endsWith('.ts') && !existsSync(join(root, source)) ? `${source}x` : source }
    }
    const parts = to.split('/')
    return { from: file, to: parts.slice(0, to.startsWith('@') ? 2 : 1).join('/') }
  })
}

/** Groups of files that import each other in a circle: the strongly connected components (Tarjan 1972). */
export function circlesOf(imports: readonly Import[]): string[][] {
  const to = new Map<string, string[]>()
  for (const one of imports) to.set(one.from, [...(to.get(one.from) ?? []), one.to])
  const index = new Map<string, number>()
  const low = new Map<string, number>()
  const stack: string[] = []
  const circles: string[][] = []
  const visit = (file: string): void => {
    const own = index.size
    index.set(file, own)
    low.set(file, own)
    stack.push(file)
    for (const next of to.get(file) ?? []) {
      if (!to.has(next)) continue
      if (!index.has(next)) {
        visit(next)
        low.set(file, Math.min(low.get(file) as number, low.get(next) as number))
      } else if (stack.includes(next)) {
        low.set(file, Math.min(low.get(file) as number, index.get(next) as number))
      }
    }
    if (low.get(file) !== own) return
    const circle = stack.splice(stack.indexOf(file))
    if (circle.length > 1) circles.push(circle.sort())
  }
  for (const file of to.keys()) if (!index.has(file)) visit(file)
  return circles
}

/** Names in code; texts and wire names (with `_`) are left out. */
export function namesIn(file: string): Set<string> {
  const code = codeOf(file).replace(/'(?:[^'\\\n]|\\.)*'|`[^`]*`/g, "''")
  return new Set((code.match(/[A-Za-z_$][\w$]*/g) ?? []).filter((name) => !/[a-z]_/.test(name)))
}
