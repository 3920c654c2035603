/**
 * All test files outside of test/long in one bundle, .build/children/test/tests.js.
 *
 * Loading the service and its packages from hundreds of files costs a process of tests more than many of its tests do.
 * A test file, and what it imports, begins only when it is imported from the bundle. `import.meta` is that of the file
 * that the compiler made, so that paths from there are right.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { pathToFileURL } from 'node:url'
import { build } from 'esbuild'

/** Packages that are native, start files of their own, or are in few tests. */
const external = ['axe-core', 'esbuild', 'oidc-provider', 'piscina', 'playwright-core', 'typescript', 'uWebSockets.js']

/** `how` is what bundles of the service are made with. */
export async function bundleTests(root, output, how) {
  const files = readdirSync(join(root, 'test'), { recursive: true })
    .map((name) => `test/${name.replaceAll('\\', '/')}`)
    .filter((path) => path.endsWith('.test.ts') && !path.startsWith('test/long/'))
  const imports = files.sort().map((path) => `${JSON.stringify(path)}: () => import(${JSON.stringify(`./${path}`)}),`)
  await build({
    ...how,
    stdin: { contents: `export const files = {\n${imports.join('\n')}\n}`, resolveDir: root },
    outdir: undefined,
    outfile: join(output, 'children/test/tests.js'),
    external: [...external, 'msgpackr-extract'],
    plugins: [...how.plugins, ownPlaces(root, output)],
    // Packages that are no ES modules ask for the modules of Node.js with `require`.
    banner: { js: "import { createRequire as cr } from 'node:module'; const require = cr(import.meta.url);" },
  })
}

/** Gives files of ours the `import.meta` of what the compiler makes of them, and a package that needs it its own. */
function ownPlaces(root, output) {
  const load = (path, at, loader) => {
    const contents = readFileSync(path, 'utf8')
    if (!contents.includes('import.meta.')) return undefined
    const url = JSON.stringify(pathToFileURL(at).href)
    const withUrl = contents.replaceAll('import.meta.url', url)
    return { contents: withUrl.replaceAll('import.meta.dirname', JSON.stringify(dirname(at))), loader }
  }
  return {
    name: 'own-places',
    setup({ onLoad }) {
      onLoad({ filter: /[\\/]@seriousme[\\/].*\.js$/ }, ({ path }) => load(path, path, 'js'))
      onLoad({ filter: /\.ts$/ }, ({ path }) =>
        load(path, join(output, relative(root, path).replace(/\.ts$/, '.js')), 'ts'),
      )
    },
  }
}
