/** Paths in the running build, and in the project that it was built from. */
import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'

/** The folder that holds bench/, server/ and engine/ as compiled. */
export const buildRoot = join(import.meta.dirname, '..', '..')

function findProject(from: string): string {
  if (existsSync(join(from, 'package.json'))) return from
  const parent = dirname(from)
  if (parent === from) throw new Error('no package.json above the build')
  return findProject(parent)
}

/** The folder of the project's package.json. */
export const projectRoot = findProject(buildRoot)

/** A compiled file, for example built('bundle/service/main.js'). */
export function built(path: string): string {
  return join(buildRoot, path)
}

/** A file that is not compiled, for example source('bench/load/requests.lua'). */
export function source(path: string): string {
  return join(projectRoot, path)
}
