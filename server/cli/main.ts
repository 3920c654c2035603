#!/usr/bin/env node
/** The program `decide`. Ctrl+C ends what is under way, and a second one ends the process. */
import { createReadStream, fstatSync, readFileSync } from 'node:fs'
import { runCommand } from './run.js'

/** Beside both layouts of the build, two folders up. */
function versionOf(): string {
  for (const path of ['../../../package.json', '../../package.json']) {
    try {
      const { name, version } = JSON.parse(readFileSync(new URL(path, import.meta.url), 'utf8'))
      if (name === 'decision-service') return version
    } catch {
      // The other one.
    }
  }
  return 'unknown'
}

const READ_BYTES = 1 << 20

const interrupt = new AbortController()
const stop = (): void => interrupt.abort()
process.once('SIGINT', stop)
// Whoever reads the output may have seen enough: `decide query | head`.
process.stdout.on('error', (error: NodeJS.ErrnoException) => process.exit(error.code === 'EPIPE' ? 0 : 1))

/** A file is read in larger pieces than the process reads standard input in. */
function input() {
  try {
    if (fstatSync(0).isFile()) return createReadStream('', { fd: 0, autoClose: false, highWaterMark: READ_BYTES })
  } catch {
    // It is closed.
  }
  return process.stdin
}

const { stdout, stderr, env } = process
const stdin = input()
const args = process.argv.slice(2)
// The service has handlers of its own.
if (args[0] === 'serve') process.removeListener('SIGINT', stop)
const code = await runCommand(args, { stdin, stdout, stderr, env, signal: interrupt.signal }, versionOf())
if (code !== 0 || args[0] !== 'serve') {
  process.exitCode = code
  // An open standard input would hold the process.
  process.stdin.unref?.()
}
