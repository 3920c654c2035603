/**
 * Users who sign in at a provider of single sign-on.
 *
 * 1. A user is known by issuer and subject, never by name: a name may be given to somebody else at the provider.
 * 2. A name that another user has is refused: nobody becomes that user by choosing a name.
 * 3. No password matches such a user.
 */
import { isoMicros } from '../../clock.js'
import { isRefusal, Refusal } from '../../errors.js'
import type { Identity } from '../../api/users-service.js'
import type { UserRecord } from '../records.js'
import type { ResourceState } from '../state.js'
import { badName, refuseBad, refuseTaken, type AccountDeps } from './users.js'

/** The user of the identity, if it signed in before. */
export function knownBy({ users }: ResourceState, { issuer, subject }: Identity): UserRecord | undefined {
  for (const user of users.values())
    if (user.identity?.issuer === issuer && user.identity.subject === subject) return user
  return undefined
}

/** The record of a new user for the identity. @throws Refusal invalid_body, user_exists, limit_exceeded. */
export function newUser({ state, clock, passwords }: AccountDeps, identity: Identity): UserRecord {
  const { issuer, subject, name, role } = identity
  refuseBad('username', badName(name))
  try {
    refuseTaken(state, name)
  } catch (error) {
    if (!isRefusal(error, 'user_exists')) throw error
    throw new Refusal('user_exists', `there is another user ${name}: an administrator has to delete one of the two`)
  }
  const createdAt = isoMicros(clock.nowMicros())
  return { name, role, password: passwords.none, createdAt, enabled: true, identity: { issuer, subject } }
}
