/**
 * The parts of the service that operators see. A component is a kind of part. A container is one instance with an id:
 * the threads of the shards are the containers `0`, `1`, ... of `actor`.
 */

export const components = ['api', 'actor', 'trainer', 'query', 'integration', 'store', 'monitor'] as const

export type Component = (typeof components)[number]

/** The id of the container of a component that has only one. */
export const MAIN = 'main'

export function isComponent(text: string): text is Component {
  return (components as readonly string[]).includes(text)
}
