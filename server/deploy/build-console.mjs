/**
 * A step of the build: the console (server/console/) as static files in .build/console. Names have a hash of the content,
 * so that browsers keep the files for good. index.html names the first ones.
 *
 * Icons are one sprite of the symbols in icons.json. Only they are taken from the package of icons.
 *
 * texts.json is one file for people who write and translate. Browsers get it in two: texts that the first scripts may
 * show come with these, the others with the first part that is loaded late.
 */
import { createHash } from 'node:crypto'
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { basename, dirname, join } from 'node:path'
import { build } from 'esbuild'

const require = createRequire(import.meta.url)

function iconSprite(names) {
  const folder = join(dirname(require.resolve('lucide-static/package.json')), 'icons')
  const symbols = names.map((name) => {
    const inner = /<svg[^>]*>([\s\S]*)<\/svg>/.exec(readFileSync(join(folder, `${name}.svg`), 'utf8'))[1]
    return `<symbol id="${name}" viewBox="0 0 24 24">${inner.replace(/\s*\n\s*/g, '')}</symbol>`
  })
  return `<svg xmlns="http://www.w3.org/2000/svg">${symbols.join('')}</svg>\n`
}

const favicon =
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24"><rect width="24" height="24" rx="6" fill="#4451c7"/>' +
  '<path fill="#fff" d="M6 6h5v5H6zM13 6h5v5h-5zM6 13h5v5H6z"/><path fill="#b9c1ff" d="m15.500 13 3 5h-6z"/></svg>\n'

/** What every page asks for first (server/console/state/api.ts). It is on its way while the program is loaded. */
const answers = ['/api/v2/session', '/api/v2/jobs/', '/api/v2/resources?resource_type=job']

function pageOf({ first, script, style, icon, early }) {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Decision service</title>
<script type="module" async src="${first}"></script>
<link rel="icon" type="image/svg+xml" href="${icon}">
<link rel="stylesheet" href="${style}">
${early.map((path) => `<link rel="modulepreload" href="${path}">`).join('\n')}
<script type="module" src="${script}"></script>
${answers.map((path) => `<link rel="preload" as="fetch" crossorigin href="${path}">`).join('\n')}
</head>
<body>
<div id="app"></div>
<noscript>This page needs JavaScript.</noscript>
</body>
</html>
`
}

/** Scripts that are loaded with the entry, and the files of the project that are in them. */
function firstInputs({ outputs }, isEntry) {
  const open = [Object.entries(outputs).find(([, { entryPoint = '' }]) => isEntry(entryPoint))[0]]
  for (const path of open)
    for (const { path: next, kind } of outputs[path].imports)
      if (kind === 'import-statement' && !open.includes(next)) open.push(next)
  return open.flatMap((path) => Object.keys(outputs[path].inputs))
}

/** Beginnings of keys of texts that scripts name: `next.first`, and `next.picked.` of a template. */
function namedIn(script) {
  return [...script.matchAll(/['"`]([a-z]\w*(?:\.\w+)*\.?)(?=['"`$])/g)].map(([, name]) => name)
}

/** The texts that scripts may show, and all others. A text is theirs if they name it, or what its key begins with. */
function dividedTexts(texts, scripts) {
  const named = new Set(scripts.flatMap(namedIn))
  const isNamed = (key) => {
    const parts = key.split('.')
    return parts.some((_, at) => {
      const start = parts.slice(0, at + 1).join('.')
      return named.has(start) || (at < parts.length - 1 && named.has(`${start}.`))
    })
  }
  const entries = Object.entries(texts)
  const pick = (isFirst) => Object.fromEntries(entries.filter(([key]) => isNamed(key) === isFirst))
  return { first: pick(true), late: pick(false) }
}

/** Gives the scripts their part of texts.json; `?late` is the other one. */
function textsPlugin({ first, late }) {
  const json = (texts) => ({ contents: JSON.stringify(texts), loader: 'json' })
  return {
    name: 'texts',
    setup(build) {
      build.onResolve({ filter: /texts\.json\?late$/ }, () => ({ path: 'late', namespace: 'texts' }))
      build.onLoad({ filter: /^late$/, namespace: 'texts' }, () => json(late))
      build.onLoad({ filter: /console[/\\]texts\.json$/ }, () => json(first))
    },
  }
}

/** Builds the console of the project at `root` into the folder `output`. */
export async function buildConsole(root, output) {
  const source = join(root, 'server/console')
  rmSync(output, { recursive: true, force: true })
  mkdirSync(output, { recursive: true })
  const write = (name, extension, text) => {
    const file = `${name}-${createHash('sha256').update(text).digest('hex').slice(0, 8)}.${extension}`
    writeFileSync(join(output, file), text)
    return `/console/${file}`
  }
  const icons = iconSprite(JSON.parse(readFileSync(join(source, 'icons.json'), 'utf8')))
  const options = {
    absWorkingDir: root,
    outdir: output,
    entryNames: '[name]-[hash]',
    bundle: true,
    format: 'esm',
    platform: 'browser',
    target: 'es2022',
    minify: true,
    metafile: true,
    logLevel: 'warning',
  }
  // A file of its own, which waits for no other.
  const first = await build({ ...options, entryPoints: { first: join(source, 'first.ts') } })
  const program = {
    ...options,
    entryPoints: { main: join(source, 'main.tsx') },
    chunkNames: '[name]-[hash]',
    splitting: true,
    jsx: 'automatic',
    jsxImportSource: 'preact',
    define: { ICONS: JSON.stringify(write('icons', 'svg', icons)) },
  }
  const isEntry = (path) => path.endsWith('console/main.tsx')
  const all = JSON.parse(readFileSync(join(source, 'texts.json'), 'utf8'))
  // Which scripts come first is known after a build.
  const whole = { ...program, write: false, plugins: [textsPlugin({ first: all, late: {} })] }
  const inputs = firstInputs((await build(whole)).metafile, isEntry).filter((path) => /\.tsx?$/.test(path))
  const scripts = inputs.map((path) => readFileSync(join(root, path), 'utf8'))
  const { metafile } = await build({ ...program, plugins: [textsPlugin(dividedTexts(all, scripts))] })
  const [entry, made] = Object.entries(metafile.outputs).find(([, { entryPoint = '' }]) => isEntry(entryPoint))
  const page = pageOf({
    first: `/console/${basename(Object.keys(first.metafile.outputs)[0])}`,
    script: `/console/${basename(entry)}`,
    style: `/console/${basename(made.cssBundle)}`,
    icon: write('favicon', 'svg', favicon),
    early: made.imports
      .filter(({ kind }) => kind === 'import-statement')
      .map(({ path }) => `/console/${basename(path)}`),
  })
  writeFileSync(join(output, 'index.html'), page)
}
