/**
 * Recognizes the import error of a native library that does not support this machine.
 *
 * There are three cases. The binary does not load: wrong libc, or wrong version of Node.js. The package has no binary
 * for this machine: `require` does not find the file. The loader of the package throws its own message.
 */
const nativeFile = /\.node\b/
const loaderMessage = /^(No native build was found|This version of uWS\.js supports only)/

/** True if the import failed because of a native library. */
export function isNativeMisfit(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  const { code } = error as NodeJS.ErrnoException
  if (code === 'ERR_DLOPEN_FAILED') return true
  if (code === 'MODULE_NOT_FOUND' || code === 'ERR_MODULE_NOT_FOUND') return nativeFile.test(error.message)
  return loaderMessage.test(error.message)
}
