/**
 * Where the bundled entries of processes and threads of the tests are: one file loads faster than hundreds.
 *
 * server/deploy/build.mjs bundles each file of test/ whose name ends with `-child` or `-thread`.
 */

/** The entry of that name. */
export function childFile(name: `${string}-child` | `${string}-thread`): URL {
  return new URL(`../children/test/${name}.js`, import.meta.url)
}
