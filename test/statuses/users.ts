/** Recipes for users and tokens. */
import assert from 'node:assert/strict'
import type { Client } from '../support/client.js'
import { ADMIN_PASSWORD } from '../support/service.js'
import { freshName, type Recipes } from './recipe.js'

const PASSWORD = 'long enough'

async function newUser(client: Client): Promise<string> {
  const username = freshName()
  const answer = await client.post('/api/v2/users', { username, password: PASSWORD, role: 'analyst' })
  assert.equal(answer.status, 201, answer.text)
  return username
}

async function newToken(client: Client): Promise<{ api_token: string; token_id: string }> {
  const answer = await client.post('/api/v2/token', { username: await newUser(client), password: PASSWORD })
  assert.equal(answer.status, 200, answer.text)
  return answer.body
}

const analystsKey = async (client: Client): Promise<string> => (await newToken(client)).api_token

export const userRecipes: Recipes = {
  issueToken: {
    good: () => ({ path: '/api/v2/token', body: { username: 'admin', password: ADMIN_PASSWORD } }),
    refusals: {
      401: () => ({ path: '/api/v2/token', body: { username: 'admin', password: 'wrong' } }),
      429: async (client) => {
        const body = { username: freshName(), password: 'wrong' }
        await Promise.all(Array.from({ length: 10 }, () => client.post('/api/v2/token', body)))
        return { path: '/api/v2/token', body }
      },
    },
    // Where passwords are switched off (scenarios/sso).
    elsewhere: [403],
  },
  getScopes: { good: () => ({ path: '/api/v2/token/scopes' }) },
  listTokens: {
    good: () => ({ path: '/api/v2/tokens' }),
    refusals: {
      403: async (client) => ({ path: '/api/v2/tokens?username=admin', key: await analystsKey(client) }),
      422: () => ({ path: `/api/v2/tokens?username=${'x'.repeat(300)}` }),
    },
  },
  revokeToken: {
    good: async (client) => ({ path: `/api/v2/tokens/${(await newToken(client)).token_id}` }),
    refusals: { 404: () => ({ path: '/api/v2/tokens/none' }) },
  },
  listUsers: { good: () => ({ path: '/api/v2/users' }) },
  createUser: {
    good: () => ({ path: '/api/v2/users', body: { username: freshName(), password: PASSWORD, role: 'analyst' } }),
    refusals: {
      409: () => ({ path: '/api/v2/users', body: { username: 'Admin', password: PASSWORD, role: 'analyst' } }),
    },
  },
  getOwnUser: {
    good: async (client) => ({ path: '/api/v2/users/me', key: await analystsKey(client) }),
    refusals: { 404: () => ({ path: '/api/v2/users/me' }) },
  },
  getUser: {
    good: () => ({ path: '/api/v2/users/admin' }),
    refusals: { 404: () => ({ path: '/api/v2/users/nobody' }) },
  },
  changeUser: {
    good: async (client) => ({ path: `/api/v2/users/${await newUser(client)}`, body: { enabled: false } }),
    refusals: {
      404: () => ({ path: '/api/v2/users/nobody', body: { enabled: false } }),
      409: () => ({ path: '/api/v2/users/admin', body: { role: 'analyst' } }),
    },
  },
  setPassword: {
    good: async (client) => ({ path: `/api/v2/users/${await newUser(client)}/password`, body: { password: PASSWORD } }),
    refusals: { 404: () => ({ path: '/api/v2/users/nobody/password', body: { password: PASSWORD } }) },
  },
  removeUser: {
    good: async (client) => ({ path: `/api/v2/users/${await newUser(client)}` }),
    refusals: {
      404: () => ({ path: '/api/v2/users/nobody' }),
      409: () => ({ path: '/api/v2/users/admin' }),
    },
  },
}
