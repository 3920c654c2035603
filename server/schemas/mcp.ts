/** Messages of the Model Context Protocol, as far as the OpenAPI document describes them: JSON-RPC 2.0. */
import { Type } from 'typebox'
import { AnyObject, ErrorBody } from './common.js'

const RpcId = Type.Union([Type.String(), Type.Number()])

export const McpMessage = Type.Object(
  {
    jsonrpc: Type.Literal('2.0'),
    id: Type.Optional(RpcId),
    method: Type.String(),
    params: Type.Optional(AnyObject),
  },
  { additionalProperties: true, description: 'A request or a notification.' },
)

export const McpError = Type.Object({ code: Type.Integer(), message: Type.String() }, { additionalProperties: true })

export const McpAnswer = Type.Object(
  {
    jsonrpc: Type.Literal('2.0'),
    id: Type.Optional(Type.Union([RpcId, Type.Null()])),
    result: Type.Optional(AnyObject),
    error: Type.Optional(McpError),
  },
  { additionalProperties: true },
)

/** A message that the protocol refuses as a whole. */
export const McpRefusal = Type.Object(
  { jsonrpc: Type.Literal('2.0'), id: Type.Union([RpcId, Type.Null()]), error: McpError },
  { additionalProperties: true },
)

/** What is not JSON is refused by the service, what is no message by the protocol. */
export const McpBadRequest = Type.Union([ErrorBody, McpRefusal])
