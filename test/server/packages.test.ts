/** What package-lock.json installs: on every supported version of Node.js without a warning, for every system. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { root } from '../support/source-tree.js'

interface Package {
  readonly optional?: boolean
  readonly hasInstallScript?: boolean
  readonly engines?: { readonly node?: string }
  readonly optionalDependencies?: Readonly<Record<string, string>>
}

const { packages } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')) as {
  packages: Readonly<Record<string, Package>>
}
const own = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
  allowScripts: Readonly<Record<string, boolean>>
}
const installed = Object.entries(packages).filter(([path]) => path !== '')

/** The oldest version that is supported, and the newest of each later line. */
const supported = [
  [20, 11],
  [22, 23],
  [24, 21],
  [26, 10],
] as const

/** True if one of the alternatives of the range has the version. Only the forms that occur here are known. */
function takes(range: string, [major, minor]: readonly [number, number]): boolean {
  const version = major * 1000 + minor
  return range.split('||').some((part) => {
    const comparators = [...part.matchAll(/(>=|<|\^)\s*(\d+)(?:\.(\d+|x))?/g)]
    assert.ok(comparators.length > 0, `the range ${range} is not known`)
    return comparators.every(([, sign, from, after]) => {
      const bound = Number(from) * 1000 + (Number(after ?? 0) || 0)
      if (sign === '<') return version < bound
      return version >= bound && (sign === '>=' || major === Number(from))
    })
  })
}

test('no package asks for another Node.js, except those that are left out then', () => {
  for (const [path, { engines, optional }] of installed) {
    if (optional === true || engines?.node === undefined) continue
    for (const version of supported) assert.ok(takes(engines.node, version), `${path} and Node.js ${version.join('.')}`)
  }
})

test('no package runs a script when it is installed, and npm has nothing to ask', () => {
  for (const [path, { hasInstallScript }] of installed) {
    const name = path.replace(/^.*node_modules\//, '')
    if (hasInstallScript === true) assert.equal(own.allowScripts[name], false, path)
  }
})

test('the packages of every system are locked, not only those of the system that wrote the lock', () => {
  for (const [path, { optionalDependencies = {} }] of installed) {
    for (const name of Object.keys(optionalDependencies))
      assert.ok(`node_modules/${name}` in packages, `${path} needs ${name}`)
  }
})
