/**
 * `npm run test:node -- VERSION [WORD ...]`: the tests on another version of Node.js, whose binary is a package.
 *
 * A copy of the source is installed with that version, because the native packages differ. This folder stays as it is.
 */
import { spawnSync } from 'node:child_process'
import { cpSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const versions: Readonly<Record<string, string>> = { 20: '20.20.2', 22: '22.23.3', 24: '24.21.0', 26: '26.10.0' }
/** Not part of the source. */
const left = new Set(['node_modules', '.build', '.cache', '.git', 'data'])

const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))))
const [wanted = '', ...words] = process.argv.slice(2)
const version = versions[wanted]
if (version === undefined || words.some((word) => !/^[\w/.-]+$/.test(word))) {
  console.error(`npm run test:node -- VERSION [WORD ...]; the versions are ${Object.keys(versions).join(', ')}.`)
  process.exit(1)
}
const copy = mkdtempSync(join(tmpdir(), `decision-service-node${wanted}-`))
try {
  cpSync(root, copy, {
    recursive: true,
    filter: (path) => dirname(path) !== root || !left.has(basename(path)),
  })
  const steps = ['node --version', 'npm ci --no-audit --no-fund', `node .build/test/run.js ${words.join(' ')}`]
  // One line for the shell: npx starts it with the other version first in the path.
  const line = `npx --yes --package=node@${version} -c "${steps.join(' && ')}"`
  const { status } = spawnSync(line, { cwd: copy, stdio: 'inherit', shell: true })
  process.exitCode = status ?? 1
} finally {
  rmSync(copy, { recursive: true, force: true })
}
