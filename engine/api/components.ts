/**
 * The parts of the service that operators see. A component is a kind of part; a container is an instance of it, named by
 * its id: the shards' threads are the containers `0`, `1`, ... of `actor`.
 */

export const components = ['api', 'actor', 'trainer', 'query', 'integration', 'store', 'monitor'] as const

export type Component = (typeof components)[number]

/** The id of a component's container where it has only one. */
export const MAIN = 'main'

export function isComponent(text: string): text is Component {
  return (components as readonly string[]).includes(text)
}
