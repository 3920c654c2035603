/**
 * Where the bundled entry of each kind of thread is.
 *
 * The path is relative to this module. It runs from .build/engine/runtime/ or from a bundle in .build/bundle/service/.
 * Both are two folders below .build, so one path is right in both.
 */

/** The entry of a kind of thread, bundled by server/deploy/build.mjs from the file of that name. */
export function threadFile(name: `${string}-thread`): URL {
  return new URL(`../../bundle/service/${name}.js`, import.meta.url)
}
