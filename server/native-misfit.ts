/**
 * Tells a native part that does not fit this machine from any other failure of an import.
 *
 * There are three ways not to fit: the binary does not load (wrong libc, wrong version of Node.js), its package has none
 * for this machine (`require` finds no such file), or its loader says so in words of its own.
 */
const nativeFile = /\.node\b/
const loadersWords = /^(No native build was found|This version of uWS\.js supports only)/

/** True where a native part is what failed. */
export function isNativeMisfit(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  const { code } = error as NodeJS.ErrnoException
  if (code === 'ERR_DLOPEN_FAILED') return true
  if (code === 'MODULE_NOT_FOUND' || code === 'ERR_MODULE_NOT_FOUND') return nativeFile.test(error.message)
  return loadersWords.test(error.message)
}
