/**
 * `npm run build`: everything that runs is made from the source here, under .build.
 *
 * 1. server/build-client.ts makes the types of the client from the schemas. The compiler needs them, so esbuild bundles
 *    this step.
 * 2. tsc checks the types and compiles each file to a file.
 * 3. server/docs/build-docs.ts makes the pages of the manual. The files of Swagger UI are copied.
 * 4. esbuild bundles the service, the commands and each kind of thread into .build/bundle/service: one file loads
 *    faster than hundreds. So are the tests, in build-tests.mjs, and what they start.
 * 5. The client becomes one file with its types in .build/client, which the package exports.
 * 6. build-console.mjs makes the static files of the console in .build/console.
 * 7. Output without a source goes, so that a file that was moved or deleted does not run on.
 *
 * Plain JavaScript, because it runs before anything is compiled.
 */
import { spawnSync } from 'node:child_process'
import { copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, rmdirSync, rmSync } from 'node:fs'
import { createRequire } from 'node:module'
import { basename, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import { buildConsole } from './build-console.mjs'
import { bundleTests } from './build-tests.mjs'

const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))))
const output = join(root, '.build')
const bundles = join(output, 'bundle')
const client = join(output, 'client')
const sources = ['engine', 'server', 'bench', 'test']

/** What every bundle is made with. */
const common = {
  absWorkingDir: root,
  outdir: join(bundles, 'service'),
  bundle: true,
  format: 'esm',
  platform: 'node',
  target: 'node20',
  sourcemap: true,
  sourcesContent: false,
  logLevel: 'warning',
}

/**
 * What every bundle that runs in the service is made with. V8 keeps the text of a bundle in every thread that runs it,
 * so comments and indents go. Lines stay short, because an error that ends a process is printed with its line.
 */
const inService = {
  ...common,
  inject: [join(root, 'engine/runtime/source-lines.ts')],
  minifyWhitespace: true,
  legalComments: 'none',
  lineLimit: 160,
  // lmdb has an older msgpackr of its own, for values that are not bytes.
  alias: { msgpackr: join(root, 'node_modules/msgpackr/node-index.js') },
  plugins: [englishOnly(), storeInside()],
}

/**
 * Each thread loads its packages anew. lmdb and msgpackr are in nearly all of them, so they are in the bundles, and
 * only their native libraries are loaded from the packages. They look for these from their own place, which is here
 * that of the package, not of the bundle.
 */
function storeInside() {
  const nativeLoader = 'node-gyp-build-optional-packages'
  return {
    name: 'store-inside',
    setup({ onLoad }) {
      onLoad({ filter: /[\\/]lmdb[\\/](native|open|node-index)\.js$/ }, ({ path }) => ({
        contents: readFileSync(path, 'utf8')
          .replace(`import loadNAPI from '${nativeLoader}'`, "import { createRequire } from 'node:module'")
          .replace('loadNAPI(', `createRequire(import.meta.url)('${nativeLoader}')(`)
          .replaceAll('import.meta.url', "import.meta.resolve('lmdb')"),
      }))
      onLoad({ filter: /[\\/]msgpackr[\\/]node-index\.js$/ }, ({ path }) => ({
        contents: readFileSync(path, 'utf8')
          .replace("typeof require == 'function'", 'false')
          .replaceAll('import.meta.url', "import.meta.resolve('msgpackr')"),
      }))
    },
  }
}

/** zod brings its messages in fifty languages. The service speaks one. */
function englishOnly() {
  return {
    name: 'english-only',
    setup({ onLoad }) {
      onLoad({ filter: /[\\/]zod[\\/]v4[\\/]locales[\\/]index\.js$/ }, () => ({
        contents: "export { default as en } from './en.js'",
      }))
    },
  }
}

/** Packages that the bundles load from node_modules: native ones, and those that are large or rarely needed. */
const external = [
  '@modelcontextprotocol/*',
  '@nats-io/*',
  '@opentelemetry/*',
  'fzstd',
  'jose',
  'kafkajs',
  'msgpackr-extract',
  'openid-client',
  'pino',
  'piscina',
  'prom-client',
  'uWebSockets.js',
  'yazl',
]

/** Routes use the client, whose table of operations this step is about to make: here it is empty. */
const noOperations = {
  name: 'no-operations',
  setup({ onLoad, onResolve }) {
    onResolve({ filter: /^#client-operations$/ }, ({ path }) => ({ path, namespace: 'no-operations' }))
    onLoad({ filter: /.*/, namespace: 'no-operations' }, () => ({
      contents: 'export const operations = {}, lists = {}',
    }))
  },
}

await typeClient()
compile()
rmSync(bundles, { recursive: true, force: true })
renderManual()
await bundleThreads()
await bundleChildren()
await bundleTests(root, output, inService)
await bundleService()
await bundleClient()
await buildConsole(root, join(output, 'console'))
for (const folder of sources) removeStale(folder)

function compile() {
  run(tsc(), '-p', 'tsconfig.json')
  run(tsc(), '-p', 'server/console/tsconfig.json')
}

function tsc() {
  return join(dirname(createRequire(import.meta.url).resolve('typescript/package.json')), 'bin/tsc')
}

async function typeClient() {
  const step = join(client, 'build-client.mjs')
  const entryPoints = [join(root, 'server/build-client.ts')]
  const how = { outdir: undefined, outfile: step, packages: 'external', sourcemap: false, plugins: [noOperations] }
  await build({ ...common, ...how, entryPoints })
  run(step)
  rmSync(step)
}

/** For browsers and Node.js, so nothing of either is assumed. */
async function bundleClient() {
  const entryPoints = [join(root, 'server/client/index.ts')]
  const outfile = join(client, 'index.js')
  const how = { outdir: undefined, platform: 'neutral', target: 'es2022', minify: true, sourcemap: false }
  await build({ ...common, ...how, outfile, entryPoints })
  run(tsc(), '-p', 'server/client/tsconfig.json')
}

function renderManual() {
  run(join(output, 'server/docs/build-docs.js'))
  const swagger = dirname(createRequire(import.meta.url).resolve('swagger-ui-dist/package.json'))
  const target = join(output, 'assets/swagger')
  mkdirSync(target, { recursive: true })
  for (const name of ['swagger-ui.css', 'swagger-ui-bundle.js', 'favicon-32x32.png', 'LICENSE', 'NOTICE'])
    copyFileSync(join(swagger, name), join(target, name))
}

/** Runs a script of Node.js; where it fails, the build fails. */
function run(...script) {
  const { status } = spawnSync(process.execPath, script, { cwd: root, stdio: 'inherit' })
  if (status !== 0) process.exit(status ?? 1)
}

/** Each kind of thread is one file, named as its source is, wherever that lies in the engine. */
async function bundleThreads() {
  await build({ ...inService, entryPoints: entriesOf('engine', /-thread\.ts$/), external })
}

/** Processes and threads that tests start, often to kill them. They are no part of the package. */
async function bundleChildren() {
  const entryPoints = entriesOf('test', /-(child|thread)\.ts$/)
  await build({ ...inService, outdir: join(output, 'children/test'), entryPoints, external })
}

/** The files of a folder with such names, by their names. */
function entriesOf(folder, names) {
  const entryPoints = {}
  for (const entry of readdirSync(join(root, folder), { recursive: true })) {
    if (!names.test(entry)) continue
    const name = basename(entry, '.ts')
    if (name in entryPoints) throw new Error(`Two entries are named ${name}.`)
    entryPoints[name] = join(root, folder, entry)
  }
  return entryPoints
}

/** The service and the commands. What they load late, and what they share, is in chunks of its own. */
async function bundleService() {
  const entryPoints = { decide: join(root, 'server/cli/main.ts') }
  for (const name of ['main', 'backup', 'restore', 'verify', 'audit-verify', 'nodes'])
    entryPoints[name] = join(root, `server/${name}.ts`)
  entryPoints['http-thread'] = join(root, 'server/threads/http-thread.ts')
  await build({ ...inService, entryPoints, splitting: true, external })
}

/** Removes compiled files whose source is gone, and folders that are empty then. */
function removeStale(folder) {
  const built = join(output, folder)
  if (!existsSync(built)) return
  for (const entry of readdirSync(built, { withFileTypes: true })) {
    const path = join(folder, entry.name)
    if (entry.isDirectory()) removeStale(path)
    else if (/\.js(\.map)?$/.test(path) && !existsSync(join(root, path.replace(/\.js(\.map)?$/, '.ts'))))
      rmSync(join(output, path))
  }
  if (readdirSync(built).length === 0) rmdirSync(built)
}
