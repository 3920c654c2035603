/** Parts of the program that are loaded late. */

const RELOADED = 'reloaded'
const AGAIN_MS = 60_000

/**
 * Loads a part. A new version of the service has no files of the old one: the page is then loaded again, once. What
 * waits to be sent is kept in the browser.
 */
export async function part<T>(load: () => Promise<T>): Promise<T> {
  try {
    return await load()
  } catch (error) {
    const lastMs = Number(sessionStorage.getItem(RELOADED) ?? 0)
    if (navigator.onLine && Date.now() - lastMs > AGAIN_MS) {
      sessionStorage.setItem(RELOADED, String(Date.now()))
      location.reload()
    }
    throw error
  }
}
