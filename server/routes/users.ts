/** Users: who may sign in, and in which role (S21). */
import { Type } from 'typebox'
import { Refusal, type UserView } from '../../engine/index.js'
import { operation, type Route } from '../http/route.js'
import { Outcome, worked } from '../schemas/common.js'
import { PasswordChange, User, UserChange, UserDocument } from '../schemas/users.js'

const tag = 'Users'
const example = {
  username: 'ann',
  role: 'analyst',
  enabled: true,
  created_at: '2026-01-31T09:05:00.000123Z',
  last_login_at: null,
  tokens: 0,
}
const oneUser = { 200: { description: 'The user.', schema: User, example } }

function userWire(user: UserView) {
  return {
    username: user.name,
    role: user.role,
    enabled: user.enabled,
    created_at: user.createdAt,
    last_login_at: user.lastLoginAt,
    tokens: user.tokens,
  }
}

const list = operation({
  method: 'GET',
  path: '/api/v2/users',
  operationId: 'listUsers',
  tag,
  summary: 'List users',
  scope: 'read:users',
  responses: { 200: { description: 'The users, by name.', schema: Type.Array(User), example: [example] } },
  handle: ({ app }) => app.service.users.list().map(userWire),
})

const create = operation({
  method: 'POST',
  path: '/api/v2/users',
  operationId: 'createUser',
  tag,
  summary: 'Create a user',
  scope: 'write:users',
  body: UserDocument,
  bodyExample: { username: 'ann', password: 'correct horse battery', role: 'analyst' },
  status: 201,
  responses: { 201: { description: 'The user.', schema: User, example } },
  errors: [409, 507],
  async handle({ app, principal, body }) {
    const { username, password, role } = body
    return userWire(await app.service.users.create(principal, { name: username, password, role }))
  },
})

const own = operation({
  method: 'GET',
  path: '/api/v2/users/me',
  operationId: 'getOwnUser',
  tag,
  summary: 'Get the user of the token',
  description: 'Needs the token of a user; a key belongs to no user.',
  scope: 'public',
  responses: oneUser,
  errors: [404],
  handle({ app, principal }) {
    if (principal.kind !== 'user') throw new Refusal('user_not_found', 'the key belongs to no user')
    return userWire(app.service.users.get(principal.name))
  },
})

const get = operation({
  method: 'GET',
  path: '/api/v2/users/{username}',
  operationId: 'getUser',
  tag,
  summary: 'Get a user',
  scope: 'read:users',
  responses: oneUser,
  errors: [404],
  handle: ({ app, params }) => userWire(app.service.users.get(params[0]!)),
})

const change = operation({
  method: 'PUT',
  path: '/api/v2/users/{username}',
  operationId: 'changeUser',
  tag,
  summary: 'Disable or enable a user, or change their role',
  description:
    'Absent fields are unchanged. The change takes effect at once, for tokens too. The last administrator cannot be ' +
    'disabled or lose the role.',
  scope: 'write:users',
  body: UserChange,
  bodyExample: { enabled: false },
  responses: oneUser,
  errors: [404, 409, 507],
  handle: ({ app, principal, params, body }) => userWire(app.service.users.change(principal, params[0]!, body)),
})

const setPassword = operation({
  method: 'PUT',
  path: '/api/v2/users/{username}/password',
  operationId: 'setPassword',
  tag,
  summary: 'Change a password',
  description:
    "The caller's own password, with the current one; with the scope `write:users` that of any user. The tokens of " +
    'the user are revoked, except the one of this request.',
  scope: 'public',
  moreScopes: { 'write:users': "for another's password" },
  body: PasswordChange,
  bodyExample: { password: 'correct horse battery', current_password: 'a horse' },
  responses: { 200: { description: 'The password is changed.', schema: Outcome, example: worked } },
  errors: [404, 507],
  async handle({ app, principal, params, body, address }) {
    await app.service.users.setPassword(principal, params[0]!, {
      password: body.password,
      ...(body.current_password === undefined ? {} : { currentPassword: body.current_password }),
      keepTokens: body.keep_tokens ?? false,
      address: address(),
    })
    return worked
  },
})

const remove = operation({
  method: 'DELETE',
  path: '/api/v2/users/{username}',
  operationId: 'removeUser',
  tag,
  summary: 'Delete a user',
  description: 'The tokens of the user are revoked; the votes are kept. The last administrator cannot be deleted.',
  scope: 'write:users',
  responses: { 200: { description: 'The user is deleted.', schema: Outcome, example: worked } },
  errors: [404, 409, 507],
  handle({ app, principal, params }) {
    app.service.users.remove(principal, params[0]!)
    return worked
  },
})

export const userRoutes: readonly Route[] = [list, create, own, get, change, setPassword, remove]
