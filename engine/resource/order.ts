/**
 * The order in which the resources of a document are planned. A resource comes after everything that it names. Apart
 * from that api keys come first, then integrations, then jobs, each in the order of the document.
 */
import { must } from '../assert.js'
import { Refusal } from '../errors.js'
import type { ResourceInput } from './shapes.js'

const ranks = { api_key: 0, integration: 1, job: 2 } as const

interface Visit {
  readonly input: ResourceInput
  readonly open: ResourceInput[]
}

/**
 * The inputs in an order that satisfies their dependencies.
 * @throws Refusal dependency_cycle, with the identifiers of one cycle in its message.
 */
export function orderResources(
  inputs: readonly ResourceInput[],
  dependencies: ReadonlyMap<ResourceInput, readonly ResourceInput[]>,
): ResourceInput[] {
  const ordered = new Set<ResourceInput>()
  const starts = inputs.toSorted((a, b) => ranks[a.type] - ranks[b.type])
  for (const start of starts) {
    if (ordered.has(start)) continue
    const path: Visit[] = []
    const onPath = new Set<ResourceInput>()
    const enter = (input: ResourceInput): void => {
      const open = (dependencies.get(input) ?? []).filter((each) => !ordered.has(each))
      path.push({ input, open: open.reverse() })
      onPath.add(input)
    }
    enter(start)
    while (path.length > 0) {
      const { input, open } = must(path.at(-1), 'the last step of the path')
      const next = open.pop()
      if (next === undefined) {
        ordered.add(input)
        onPath.delete(input)
        path.pop()
      } else if (onPath.has(next)) {
        refuseCycle(
          path.map((visit) => visit.input),
          next,
        )
      } else if (!ordered.has(next)) {
        enter(next)
      }
    }
  }
  return [...ordered]
}

function refuseCycle(path: readonly ResourceInput[], closing: ResourceInput): never {
  const cycle = [...path.slice(path.indexOf(closing)), closing].map((input) => input.identifier)
  throw new Refusal('dependency_cycle', `the resources depend on each other in a cycle: ${cycle.join(' -> ')}`)
}
