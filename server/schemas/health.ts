/** What is said of the service itself: probes, health of a key, links. */
import { Type } from 'typebox'

export const KeyState = Type.Object({ status: Type.Boolean(), connected: Type.Boolean() })

export const Alive = Type.Object({ status: Type.Literal('alive') })

export const Ready = Type.Object({
  status: Type.Literal('ready'),
  node: Type.Optional(Type.Literal('serving', { description: 'In a cluster: this node owns the catalog.' })),
  shards: Type.Optional(Type.Array(Type.Integer(), { description: 'In a cluster: the shards that this node owns.' })),
})

export const ServiceLinks = Type.Object({
  name: Type.String(),
  pages: Type.String(),
  documentation: Type.String(),
  manual: Type.String(),
  openapi: Type.String(),
})
